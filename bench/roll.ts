/**
 * What a roll costs beside what the cluster itself needs, seen from outside, and the article's script without any pause
 * beside it. `node bench/roll.ts [evenkeel|script]...` (both). Prints lines, then JSON.
 */
import { loadavg } from 'node:os'
import process from 'node:process'
import { WHOAMI_FRONT } from '../test/support/roll-bed/lb-config.ts'
import { RollBed } from '../test/support/roll-bed/roll-bed.ts'
import { missingForUp } from '../testbed/requirements.ts'
import { evenkeelRoll } from './article/evenkeel-roll.ts'
import { judged } from './article/judged.ts'
import { NO_PAUSES, runScript } from './article/scripted-roll.ts'
import { apiRequests } from './roll/api-requests.ts'
import { LOOK_EVERY_MS } from './roll/machine-observer.ts'
import { type NodeCost, nodeCosts } from './roll/node-cost.ts'
import { Observer } from './roll/observer.ts'
import type { RollDocument } from './roll/roll-document.ts'

const SOAK_MS = 3_000
const USER = 'system:serviceaccount:evenkeel:evenkeel-roll'
const WAYS = {
  evenkeel: { soakMs: SOAK_MS, act: (bed: RollBed) => evenkeelRoll(bed, { stage: true }) },
  script: {
    soakMs: 0,
    act: async (bed: RollBed) => {
      await runScript(bed, { maint: true, pauses: NO_PAUSES })
      return undefined
    },
  },
} as const

const say = (text: string): void => void process.stdout.write(`${text}\n`)

async function measure(way: RollDocument['way']): Promise<RollDocument> {
  const bed = await RollBed.open({ service: 'improved' })
  try {
    const observer = new Observer(bed)
    await bed.settled()
    const from = new Date()
    const found = await judged(bed, { whoami: WHOAMI_FRONT }, async () => {
      observer.baseline()
      return WAYS[way].act(bed)
    })
    const flags = await observer.stop()
    return {
      bench: 'roll.overhead',
      way,
      nodes: nodeCosts(flags, bed.bed.nodes, WAYS[way].soakMs),
      judged: found,
      requests: apiRequests(bed.bed.auditLog, { user: USER, from, to: new Date() }),
      loadAverage: loadavg()[0],
    }
  } finally {
    await bed.close()
  }
}

const seconds = (ms: number): string => (ms / 1_000).toFixed(2)

function report({ way, nodes, judged: { streams, seconds: took, outcome, ...run }, requests }: RollDocument): void {
  const { whoami } = streams
  const end =
    outcome === undefined || outcome.code === 0 ? '' : `; ENDED WITH ${outcome.code}: ${outcome.stderr.trim()}`
  say(
    `${way}: ${took} s, ${whoami?.failedRequests} failed of ${whoami?.sentRequests}${run.void ? ' (VOID)' : ''}${end}; ` +
      `seen every ${LOOK_EVERY_MS} ms`,
  )
  for (const cost of nodes) say(nodeLine(cost, way === 'evenkeel'))
  if (way !== 'evenkeel') return
  const verbs = Object.entries(requests.byVerb).map(([verb, count]) => `${verb} ${count}`)
  say(`  API requests: ${requests.total} (${(requests.total / nodes.length).toFixed(0)} a node): ${verbs.join(', ')}`)
}

/** The kubelet tells at its own pace that it lives. A proof waits for that where it has nothing newer: both readings are shown. */
function nodeLine({ node, tookMs, parts, goalMs, ...cost }: NodeCost, held: boolean): string {
  const spent = Object.entries(parts).map(([part, ms]) => `${part} ${seconds(ms)}`)
  const verdict = (ms: number): string => `${seconds(ms)} s${held ? ` (${ms <= goalMs ? 'met' : 'MISSED'})` : ''}`
  return (
    `  ${node}: ${seconds(tookMs)} s (${spent.join(', ')}); ${held ? `goal ${seconds(goalMs)} s; ` : ''}overhead ` +
    `${verdict(cost.overheadBesideHeartbeatMs)}, with the wait for a heartbeat ${verdict(cost.overheadMs)}`
  )
}

async function main(): Promise<number> {
  const [lacking] = missingForUp()
  if (lacking !== undefined) {
    say(`roll: ${lacking}`)
    return 2
  }
  const asked = process.argv.slice(2)
  for (const way of ['evenkeel', 'script'] as const) {
    if (asked.length > 0 && !asked.includes(way)) continue
    const found = await measure(way)
    report(found)
    say(JSON.stringify(found))
  }
  return 0
}

process.exitCode = await main()

/**
 * Everything that is measured for speed, in one run, as one table. `npm run bench -- [--only probe|help|poll|virtual|controller|ingress|guard|dns|agent|roll]... [-o text|json]`.
 * The ingress takes about a quarter of an hour, the guard about ten minutes. Agent and roll take about five minutes each, and a machine that can carry the test
 * bed; elsewhere they are left out.
 * Exits with 1 where a part came to no figures, or a roll did not go as it should; a goal that is missed is in the table.
 */
import { availableParallelism, cpus, loadavg, release } from 'node:os'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { findCommand } from '../testbed/machine/find-command.ts'
import { missingForUp } from '../testbed/requirements.ts'
import type { AgentDocument } from './agent/agent-document.ts'
import { agentFigures } from './agent/agent-figures.ts'
import type { ControllerDocument } from './controller/controller-document.ts'
import { controllerFigures } from './controller/controller-figures.ts'
import type { DnsDocument } from './dns/dns-document.ts'
import { dnsFigures } from './dns/dns-figures.ts'
import type { GuardDocument } from './guard/guard-document.ts'
import { guardFigures } from './guard/guard-figures.ts'
import type { HelpDocument } from './help/help-document.ts'
import { helpFigures } from './help/help-figures.ts'
import type { IngressDocument } from './ingress/ingress-document.ts'
import { ingressFigures } from './ingress/ingress-figures.ts'
import type { PollDocument } from './poll/poll-document.ts'
import { pollFigures } from './poll/poll-figures.ts'
import type { ProbeDocument } from './probe/probe-document.ts'
import { probeFigures } from './probe/probe-figures.ts'
import { type Figure, isMissed, ratioOf } from './report/figure.ts'
import { figuresTable } from './report/figures-table.ts'
import { runPart } from './report/run-part.ts'
import type { RollDocument } from './roll/roll-document.ts'
import { rollFigures } from './roll/roll-figures.ts'
import { rollTroubles } from './roll/roll-troubles.ts'
import type { VirtualDocument } from './virtual/virtual-document.ts'
import { virtualFigures } from './virtual/virtual-figures.ts'

const PARTS = ['probe', 'help', 'poll', 'virtual', 'controller', 'ingress', 'guard', 'dns', 'agent', 'roll'] as const
type Part = (typeof PARTS)[number]
const isPart = (text: string): text is Part => PARTS.some((part) => part === text)

/** Only the benches write these documents. */
const FIGURES: Readonly<Record<Part, (documents: readonly unknown[]) => readonly Figure[]>> = {
  probe: (documents) => (documents as readonly ProbeDocument[]).flatMap(probeFigures),
  help: (documents) => (documents as readonly HelpDocument[]).flatMap(helpFigures),
  poll: (documents) => (documents as readonly PollDocument[]).flatMap(pollFigures),
  virtual: (documents) => virtualFigures(documents as readonly VirtualDocument[]),
  controller: (documents) => (documents as readonly ControllerDocument[]).flatMap(controllerFigures),
  ingress: (documents) => (documents as readonly IngressDocument[]).flatMap(ingressFigures),
  guard: (documents) => (documents as readonly GuardDocument[]).flatMap(guardFigures),
  dns: (documents) => (documents as readonly DnsDocument[]).flatMap(dnsFigures),
  agent: (documents) => (documents as readonly AgentDocument[]).flatMap(agentFigures),
  roll: (documents) => rollFigures(documents as readonly RollDocument[]),
}

interface PartResult {
  readonly documents: readonly unknown[]
  readonly figures: readonly Figure[]
  readonly troubles: readonly string[]
}

const USAGE = `usage: npm run bench -- [--only ${PARTS.join('|')}]... [-o text|json]`

const say = (text: string): void => void process.stderr.write(`${text}\n`)

interface Asked {
  readonly parts: readonly Part[]
  readonly json: boolean
}

function asked(): Asked | undefined {
  try {
    const { values } = parseArgs({
      options: {
        only: { type: 'string', multiple: true, default: [...PARTS] },
        output: { type: 'string', short: 'o', default: 'text' },
      },
    })
    const { only, output } = values
    if (!only.every(isPart) || !['text', 'json'].includes(output)) return undefined
    return { parts: PARTS.filter((part) => only.includes(part)), json: output === 'json' }
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    say(error.message)
    return undefined
  }
}

/** Why the part cannot be run on this machine. */
function lacking(part: Part): string | undefined {
  if (part !== 'roll' && part !== 'agent' && part !== 'poll') return undefined
  if (part !== 'agent' && findCommand('haproxy') === undefined)
    return 'HAProxy is not installed: apt-get install haproxy'
  return part === 'poll' ? undefined : missingForUp()[0]
}

async function run(part: Part): Promise<PartResult> {
  const { documents, code } = await runPart(fileURLToPath(new URL(`${part}.ts`, import.meta.url)))
  const figures = code === 0 ? FIGURES[part](documents) : []
  const troubles = part === 'roll' ? rollTroubles(documents as readonly RollDocument[]) : []
  const none = figures.length === 0 ? [`${part}: no figures; it ended with ${code}`] : []
  return { documents, figures, troubles: [...troubles, ...none] }
}

const load = (): number => Math.round((loadavg()[0] ?? 0) * 10) / 10

async function main(): Promise<number> {
  const wanted = asked()
  if (wanted === undefined) {
    say(USAGE)
    return 2
  }
  const machine = {
    cores: availableParallelism(),
    processor: cpus()[0]?.model.trim() ?? '',
    linux: release(),
    node: process.version,
  }
  const loadBefore = load()
  const startedAt = new Date().toISOString()
  const results: PartResult[] = []
  const leftOut: string[] = []
  for (const part of wanted.parts) {
    const lacks = lacking(part)
    if (lacks === undefined) results.push(await run(part))
    else leftOut.push(`${part} was left out: ${lacks}`)
  }
  const troubles = results.flatMap((result) => result.troubles)
  const figures = results.flatMap((result) => result.figures)
  const loadAverage = { before: loadBefore, after: load() }
  const facts = Object.entries(machine).map(([name, value]) => `${name} ${value}`)
  facts.push(`load average ${loadAverage.before} before, ${loadAverage.after} after`)
  const table = figures.length === 0 ? [] : [figuresTable(figures)]
  const text = [...table, ...leftOut, ...troubles, `${startedAt}; ${facts.join(', ')}`].join('\n')
  if (wanted.json) {
    say(text)
    const judged = figures.map((figure) => ({ ...figure, ratio: ratioOf(figure), missed: isMissed(figure) }))
    const documents = results.flatMap((result) => result.documents)
    process.stdout.write(
      `${JSON.stringify({ startedAt, machine, loadAverage, figures: judged, leftOut, troubles, documents }, null, 1)}\n`,
    )
  } else process.stdout.write(`${text}\n`)
  return troubles.length === 0 ? 0 : 1
}

process.exitCode = await main()

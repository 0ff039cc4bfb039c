import assert from 'node:assert/strict'
import type { Node, Taint } from '../../../src/ground/model/node.ts'
import { monoMs } from '../../../src/ground/model/time.ts'
import type { NodeSnapshot } from '../../../src/roll/decide/node-snapshot.ts'
import { observe } from '../../../src/roll/decide/observe.ts'
import { actuatorAt } from '../../../src/service/actuators/actuator-of.ts'
import type { Noticing } from '../../../src/service/decide/evidence.ts'
import type { CheckReading, HealthCheckSpec } from '../../../src/service/model/health-check.ts'
import { markedStates } from '../../../src/service/model/marked-states.ts'
import { aNode, anInstance, aRecord, aServer, aSnapshot, aSpec } from '../roll-world.ts'

const KEY = 'ToBeDeletedByClusterAutoscaler'
export const SPEC: HealthCheckSpec = {
  mark: { kind: 'taint', key: KEY, value: 'evenkeel' },
  check: { url: 'http://{address}:10256/healthz', expectStatus: [200, 399], timeoutMs: 1_000 },
  markDelayMs: 10_000,
  checks: { intervalMs: 2_000, fall: 3, rise: 2, drainsAtOnce: false, slackMs: 2_000 },
  dataPort: 30080,
}
const { check: _, ...unasked } = SPEC
/** The same without a way to ask. */
export const UNASKED: HealthCheckSpec = unasked
const EDGE = { name: 'edge', instances: ['lb-1'], backends: ['web'], allowLastServer: false }
export const NOW = 1_000_000
export const OURS: Taint = { key: KEY, value: 'evenkeel', effect: 'PreferNoSchedule' }
export const THEIRS: Taint = { key: KEY, value: '1700000000', effect: 'PreferNoSchedule' }

/** An answer to a question that was asked just now. */
export const says = (answer: 'good' | 'refused' | 'unheard', change: object = {}): CheckReading => ({
  asked: true,
  at: monoMs(NOW),
  answer,
  text: answer === 'refused' ? 'HTTP 503' : answer,
  ...(answer === 'good' ? { goodSince: monoMs(-60_000) } : {}),
  ...change,
})

export interface Given {
  readonly taints?: readonly Taint[]
  readonly check: CheckReading
  readonly others?: CheckReading
  /** Whether it was out by a mark when it was recorded. */
  readonly before?: 'ready' | 'drain'
  readonly seen?: Noticing
  readonly out?: number
  readonly spec?: HealthCheckSpec
  readonly world?: NonNullable<Parameters<typeof aSnapshot>[0]>
}

export const reading = (name: string, nodeCheck: CheckReading) =>
  aServer(name, { ...markedStates(false, nodeCheck), nodeCheck, checkText: 'as it answers' })

/** n1 as its marks and its check tell, at 1,000,000 ms. */
export function given({
  taints = [],
  check,
  others = says('good'),
  before = 'ready',
  seen,
  out,
  spec = SPEC,
  world = {},
}: Given) {
  const [own] = aRecord().servers
  assert.ok(own)
  const balancers = [{ ...EDGE, via: { kind: 'mark' as const, ...spec } }]
  const node: Partial<Node> = { ...world.node, taints }
  const read = anInstance([reading('n1', check), reading('n2', others), reading('n3', others)])
  const facts = actuatorAt(balancers, 'edge').asAsked(read, (name) => aNode(name, name === 'n1' ? node : {}))
  const detached = { process: '100', since: monoMs(out ?? 0), totalSessions: 100, strays: 0, cutSessions: 0 }
  const s: NodeSnapshot = aSnapshot({
    ...world,
    node,
    record: { ...(world.record ?? aRecord()), servers: [{ ...own, state: before, operational: 'up' }] },
    evidence: {
      ...world.evidence,
      ...(seen === undefined ? {} : { noticing: { 'web/n1 on lb-1': seen } }),
      ...(out === undefined ? {} : { detached: { 'web/n1 on lb-1': detached } }),
    },
    change: { ...world.change, spec: aSpec({ balancers }), instances: [facts] },
  })
  return { ...s, evidence: observe(s) }
}

export const outSince = (since: number, heardSince?: number): Noticing => ({
  way: 'out',
  since: monoMs(since),
  ...(heardSince === undefined ? {} : { heardSince: monoMs(heardSince) }),
})
export const inSince = (since: number, heardSince?: number): Noticing => ({ ...outSince(since, heardSince), way: 'in' })
export const gone = (at: number): Noticing => ({
  ...outSince(0, 1),
  noticed: { by: 'time', at: monoMs(at), from: monoMs(1), words: 'from the first refusal' },
})

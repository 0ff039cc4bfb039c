import type { FailureWindow, ProbeStatus, ProbeTarget } from '../../src/ground/model/probe.ts'
import { monoMs, wallMs } from '../../src/ground/model/time.ts'
import type { Stuck } from '../../src/roll/decide/evidence.ts'
import type { NodeSnapshot } from '../../src/roll/decide/node-snapshot.ts'
import type { MachineSnapshot } from '../../src/roll/decide/pair/machine-snapshot.ts'
import type { RollSnapshot } from '../../src/roll/decide/snapshot.ts'
import type { RollSpec } from '../../src/roll/model/roll-spec.ts'
import {
  AFTER,
  aHost,
  announced as announcedHost,
  at,
  away,
  back,
  began,
  moved,
  NOW,
  proven,
  RECORD,
} from './a-host.ts'
import { twoHosts } from './memory-pair.ts'
import { announced, out, settled } from './roll-stages.ts'
import { aRecord, aSnapshot, aSpec, aWorkload, NEW_BOOT } from './roll-world.ts'

// A node and a machine of a load balancer are subjects of the same guards and the same stop rules. Each row changes both in the same
// way. A subject that a rule does not ask says so in words.

export const SOAK_MS = 10_000
const SOAKED_MS = 60_000

/** What is the same for both; `ofNode` and `ofMachine` say what only one of them has. */
export interface Change
  extends Partial<Pick<RollSnapshot, 'slot' | 'journalWritable' | 'probe' | 'window' | 'gates' | 'steps'>> {
  readonly spec?: Partial<RollSpec>
  readonly run?: Partial<RollSnapshot['run']>
  /** The API server cannot be followed. */
  readonly unheard?: true
  /** The instances of the balancers do not answer. */
  readonly silent?: true
  /** Nothing was read since the slot was taken. */
  readonly unread?: true
  /** The lock in kured's DaemonSet. */
  readonly kured?: string
  /** What it has waited for in vain. */
  readonly waited?: Stuck
  /** In service again since so long. */
  readonly backMs?: number
  readonly ofNode?: (s: NodeSnapshot) => NodeSnapshot
  readonly ofMachine?: Partial<MachineSnapshot>
}

export const wall = wallMs(NOW)
export const PROBE: NonNullable<RollSpec['probe']> = { targets: [], baselineMs: 10_000, baselineLimitMs: 120_000 }
const LANE = {
  target: 'shop',
  control: false,
  lane: 'new',
  scheduled: 9,
  sent: 9,
  skipped: 0,
  failed: 0,
  slow: 0,
} as const
const TIMES = { p50Ms: 1, p90Ms: 1, p99Ms: 1, maxMs: 1, startErrorP99Ms: 0 } as const
const facts = (change: Partial<ProbeStatus> = {}): ProbeStatus => ({
  startedAt: wallMs(NOW - 60_000),
  lastVerdictAt: wall,
  lanes: [{ ...LANE, ...TIMES }],
  windows: [],
  notMeasured: [],
  greenStreak: 0,
  ...change,
})
export const failed = (change: Partial<FailureWindow> = {}): FailureWindow => ({
  target: 'shop',
  control: false,
  lane: 'new',
  sent: 1,
  failed: 1,
  failures: { connect: 1 },
  firstError: 'ECONNREFUSED',
  firstBadAt: wallMs(NOW - 2000),
  lastBadAt: wallMs(NOW - 1000),
  ...change,
})
export const CONTROL: ProbeTarget = {
  name: 'control',
  url: 'http://127.0.0.1/',
  control: true,
  ratePerSecond: 10,
  keptShare: 0.5,
  keptConnections: 1,
  timeoutMs: 2000,
  expectStatus: [200, 399],
  servedByHeader: 'x-served-by',
}

export const measured: Change = { spec: { probe: PROBE }, probe: facts(), run: { measuredSince: wallMs(0) } }
export const probed = (change: Partial<ProbeStatus>): Change => ({ ...measured, probe: facts(change) })
export const unmeasured = (change: Partial<ProbeStatus>): Change => ({ spec: { probe: PROBE }, probe: facts(change) })
const STOP: NonNullable<RollSpec['stop']> = { failedRequests: { inAll: 9, perNode: 9 }, latency: [], downtime: [] }
export const allowed = (window: Partial<FailureWindow>): Change => ({
  ...probed({ windows: [failed(window)] }),
  spec: { probe: PROBE, stop: STOP },
})
/** Such a failure, of which the subject under way is blamed. */
export const blamed: Change = {
  ...allowed({ firstOkAt: wall }),
  steps: [{ node: 'n1', step: 'soak', startedAt: wallMs(NOW - 30_000) }],
  ofMachine: { steps: [{ node: 'lb-1', step: 'soak', startedAt: wallMs(NOW - 30_000) }] },
}
export const red = unmeasured({ windows: [failed()] })
/** A request failed, and of the control nothing is known since. */
export const unsure: Change = {
  ...probed({ windows: [failed({ firstOkAt: wall, undecided: { failed: 1, since: wall } })] }),
  spec: { probe: { ...PROBE, targets: [CONTROL] } },
}
const FOREVER = { zone: 'UTC', open: [], not: [], onClose: 'restore' } as const
export const closed: Change = { spec: { window: FOREVER }, window: { now: wall, longestMs: 3_600_000 } }
export const closing: Change = {
  spec: { window: FOREVER },
  window: {
    now: wall,
    longestMs: 3_600_000,
    open: { from: wallMs(0), to: wallMs(NOW + 1000) },
    need: { ms: 5000, by: 'measured' },
  },
}
export const KURED = { namespace: 'kube-system', name: 'kured' }
export const OF_NODE = JSON.stringify({ nodeID: 'n2', created: '2020-01-01T00:00:00Z', TTL: 0 })

/** Where a subject stands. */
export type Stage = 'begin' | 'leave' | 'announce' | 'again' | 'return' | 'soak'

const backSince = (ms: number) => ({ attachingSince: at(ms), attachingSinceWall: wallMs(NOW - ms) })
const soaking = (ms: number) => ({ ...backSince(ms), attachedAt: at(ms), attachedAtWall: wallMs(NOW - ms) })
const unheardOf = {
  ...announced.evidence,
  intentByUs: false,
  reboot: { at: at(400_000), answer: { kind: 'unknown', text: 'x' } },
} as const
const BACK_MEMORY = { record: RECORD, isProven: true, intent: true, wasAway: true } as const

function aNodeAt(stage: Stage, backMs: number): NodeSnapshot {
  switch (stage) {
    case 'begin':
      return aSnapshot()
    case 'leave':
      return aSnapshot({ record: aRecord() })
    case 'announce':
      return aSnapshot(out)
    case 'again':
      return aSnapshot({ ...announced, evidence: unheardOf })
    case 'return': {
      const s = aSnapshot(settled)
      return { ...s, current: { ...s.current, dataPorts: { '10.0.0.1:30080': true } } }
    }
    case 'soak': {
      const s = { node: { bootId: NEW_BOOT }, record: aRecord(), announced: true, evidence: soaking(backMs) }
      return aSnapshot(s)
    }
  }
}

const daemonSets = (rebootLock?: string) =>
  rebootLock === undefined ? [] : [aWorkload({ ...KURED, kind: 'DaemonSet', rebootLock })]

export function nodeWith(stage: Stage, { backMs = SOAKED_MS, ofNode = (s) => s, ...change }: Change): NodeSnapshot {
  const { spec, run, unheard, silent, unread, kured, waited, ofMachine, ...same } = change
  const s = ofNode(aNodeAt(stage, backMs))
  const { slotTakenAt: _, ...evidence } = s.evidence
  return {
    ...s,
    wall,
    spec: { ...s.spec, ...spec },
    run: { ...s.run, ...run },
    cluster: { ...s.cluster, workloads: daemonSets(kured), staleForMs: unheard === true ? 1 : 0 },
    instances: s.instances.map((one) => ({ ...one, askedAt: monoMs(NOW), silentForMs: silent === true ? 1 : 0 })),
    evidence: { ...(unread === true ? evidence : s.evidence), ...waited },
    ...same,
  }
}

function aHostAt(stage: Stage, backMs: number): Parameters<typeof aHost>[0] {
  const gone = { on: ['lb-2'], memory: away, evidence: moved }
  switch (stage) {
    case 'begin':
      return {}
    case 'leave':
      return { memory: began }
    case 'announce':
      return gone
    case 'again':
      return { ...gone, memory: announcedHost, evidence: { ...moved, reboot: unheardOf.reboot } }
    case 'return':
      return { ...gone, memory: proven, bootId: AFTER, evidence: { provenSince: at(1000) } }
    case 'soak':
      return { memory: BACK_MEMORY, bootId: AFTER, evidence: { ...back, ...soaking(backMs) } }
  }
}

export function machineWith(stage: Stage, { backMs = SOAKED_MS, ...change }: Change): MachineSnapshot {
  const { spec, run, unheard, silent, unread, kured, waited, ofNode, ofMachine, ...same } = change
  const s = aHost(aHostAt(stage, backMs))
  const { slotTakenAt: _, ...evidence } = s.evidence
  return {
    ...s,
    spec: aSpec({ hosts: twoHosts(), ...spec }),
    run: { ...s.run, ...run },
    cluster: { workloads: daemonSets(kured) },
    clusterUnknown: unheard === true,
    instances: s.instances.map((one) => ({ ...one, silentForMs: silent === true ? 1 : 0 })),
    evidence: { ...(unread === true ? evidence : s.evidence), ...waited },
    ...same,
    ...ofMachine,
  }
}

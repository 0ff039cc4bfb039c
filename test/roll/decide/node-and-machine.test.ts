import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MAINTENANCE_ANNOTATION } from '../../../src/ground/model/claims.ts'
import { newLock } from '../../../src/ground/model/kured-lock.ts'
import type { Node } from '../../../src/ground/model/node.ts'
import type { Pod } from '../../../src/ground/model/pod.ts'
import type { FailureWindow, ProbeFacts, ProbeTarget } from '../../../src/ground/model/probe.ts'
import type { ReasonCode } from '../../../src/ground/model/reason.ts'
import { monoMs, wallMs } from '../../../src/ground/model/time.ts'
import { decide } from '../../../src/roll/decide/decide.ts'
import type { Stuck } from '../../../src/roll/decide/evidence.ts'
import { judge } from '../../../src/roll/decide/judge.ts'
import type { NodeSnapshot } from '../../../src/roll/decide/node-snapshot.ts'
import { observe } from '../../../src/roll/decide/observe.ts'
import type { HostSnapshot } from '../../../src/roll/decide/pair/host-snapshot.ts'
import { observeHost, rememberHostDecision } from '../../../src/roll/decide/pair/observe-host.ts'
import { rememberDecision } from '../../../src/roll/decide/remember-decision.ts'
import type { RollSnapshot } from '../../../src/roll/decide/snapshot.ts'
import type { StepDecision } from '../../../src/roll/decide/step-rule.ts'
import type { RollSpec } from '../../../src/roll/model/roll-spec.ts'
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
  said,
} from '../../support/a-host.ts'
import { aGate } from '../../support/gate-and-hook-world.ts'
import { twoHosts } from '../../support/memory-pair.ts'
import { announced, out, settled } from '../../support/roll-stages.ts'
import {
  aNode,
  anInstance,
  aPod,
  aRecord,
  aServer,
  aSnapshot,
  aSpec,
  aWorkload,
  NEW_BOOT,
} from '../../support/roll-world.ts'
import { shortDecision } from '../../support/short-decision.ts'

// A node and a machine of a load balancer are subjects of the same guards and the same stop rules. Each row changes both in the same
// way. A subject that a rule does not ask says so in words.

const SOAK_MS = 10_000
const SOAKED_MS = 60_000

/** What is the same for both; `ofNode` and `ofMachine` say what only one of them has. */
interface Change
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
  readonly ofMachine?: Partial<HostSnapshot>
}

const wall = wallMs(NOW)
const PROBE: NonNullable<RollSpec['probe']> = { targets: [], baselineMs: 10_000, baselineLimitMs: 120_000 }
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
const facts = (change: Partial<ProbeFacts> = {}): ProbeFacts => ({
  startedAt: wallMs(NOW - 60_000),
  lastVerdictAt: wall,
  lanes: [{ ...LANE, ...TIMES }],
  windows: [],
  notMeasured: [],
  servedBy: {},
  greenStreak: 0,
  ...change,
})
const failed = (change: Partial<FailureWindow> = {}): FailureWindow => ({
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
const CONTROL: ProbeTarget = {
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

const measured: Change = { spec: { probe: PROBE }, probe: facts(), run: { measuredSince: wallMs(0) } }
const probed = (change: Partial<ProbeFacts>): Change => ({ ...measured, probe: facts(change) })
const unmeasured = (change: Partial<ProbeFacts>): Change => ({ spec: { probe: PROBE }, probe: facts(change) })
const STOP: NonNullable<RollSpec['stop']> = { failedRequests: { inAll: 9, perNode: 9 }, latency: [], downtime: [] }
const allowed = (window: Partial<FailureWindow>): Change => ({
  ...probed({ windows: [failed(window)] }),
  spec: { probe: PROBE, stop: STOP },
})
/** Such a failure, of which the subject under way is blamed. */
const blamed: Change = {
  ...allowed({ firstOkAt: wall }),
  steps: [{ node: 'n1', step: 'soak', startedAt: wallMs(NOW - 30_000) }],
  ofMachine: { steps: [{ node: 'lb-1', step: 'soak', startedAt: wallMs(NOW - 30_000) }] },
}
const red = unmeasured({ windows: [failed()] })
/** A request failed, and of the control nothing is known since. */
const unsure: Change = {
  ...probed({ windows: [failed({ firstOkAt: wall, undecided: { failed: 1, since: wall } })] }),
  spec: { probe: { ...PROBE, targets: [CONTROL] } },
}
const FOREVER = { zone: 'UTC', open: [], not: [], onClose: 'restore' } as const
const closed: Change = { spec: { window: FOREVER }, window: { now: wall, longestMs: 3_600_000 } }
const closing: Change = {
  spec: { window: FOREVER },
  window: {
    now: wall,
    longestMs: 3_600_000,
    open: { from: wallMs(0), to: wallMs(NOW + 1000) },
    need: { ms: 5000, by: 'measured' },
  },
}
const KURED = { namespace: 'kube-system', name: 'kured' }
const OF_NODE = JSON.stringify({ nodeID: 'n2', created: '2020-01-01T00:00:00Z', TTL: 0 })

/** Where a subject stands. */
type Stage = 'begin' | 'leave' | 'announce' | 'again' | 'return' | 'soak'

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

function nodeWith(stage: Stage, { backMs = SOAKED_MS, ofNode = (s) => s, ...change }: Change): NodeSnapshot {
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

function machineWith(stage: Stage, { backMs = SOAKED_MS, ...change }: Change): HostSnapshot {
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

/** In place of a decision: why the rule does not ask this subject. */
interface NotAsked {
  readonly not: string
}
const not = (why: string): NotAsked => ({ not: why })

type Cell = string | NotAsked
type Row = readonly [rule: string, stage: Stage, change: Change, node: Cell, machine: Cell]

const NO_PODS = not('a machine runs no pods')
const NO_OBJECT = not('a machine has no object in the cluster that others could mark')
const lapsed: Change = { slot: { state: 'mine', mayAct: false } }
const unwritable: Change = { journalWritable: false }
const mute = probed({ lastVerdictAt: wallMs(NOW - 3001) })
const asked: Change = {
  spec: { gates: [aGate({ appliesTo: ['nodes', 'hosts'], before: ['node', 'reboot', 'attach'] })] },
}
const lockDue: Change = {
  spec: { reboot: { ...aSpec().reboot, kuredLock: KURED } },
  kured: newLock({ run: 'run-1', wall: wallMs(0), concurrency: 1 }),
}
const withNode = (change: Partial<Node>): Change => ({
  ofNode: (s) => ({ ...s, current: { ...s.current, node: { ...s.current.node, ...change } } }),
})
const withPods = (pods: readonly Pod[], change: Partial<RollSpec> = {}): Change => ({
  spec: change,
  ofNode: (s) => ({ ...s, cluster: { ...s.cluster, pods } }),
})
const etcd = (node: string) =>
  aPod(`etcd-${node}`, node, { namespace: 'kube-system', mirror: true, labels: { component: 'etcd' } })

const GUARDS: readonly Row[] = [
  ['nothing is in the way', 'begin', {}, 'act record: writeRecord', 'record: record'],
  ['nothing is in the way', 'leave', {}, 'act cordon: cordon', 'detach: moveAway'],
  ['nothing is in the way', 'announce', {}, 'act reboot: writeIntent', 'reboot: reboot'],
  ['nothing is in the way', 'again', {}, 'act reboot: sendReboot', 'reboot: reboot'],
  ['nothing is in the way', 'return', {}, 'act attach: setServer ready', 'attach: moveBack'],
  ['nothing is in the way', 'soak', {}, 'act soak: removeRecord', 'through'],
  ['the slot is renewed', 'begin', lapsed, 'hold record: SlotNotRenewed', 'record? SlotNotRenewed'],
  ['the slot is renewed', 'leave', lapsed, 'hold cordon: SlotNotRenewed', 'detach? SlotNotRenewed'],
  ['the slot is renewed', 'announce', lapsed, 'hold reboot: SlotNotRenewed', 'detach? SlotNotRenewed'],
  ['the slot is renewed', 'again', lapsed, 'hold reboot: SlotNotRenewed', 'detach? SlotNotRenewed'],
  ['the slot is renewed', 'return', lapsed, 'hold attach: SlotNotRenewed', 'settle? SlotNotRenewed'],
  ['the journal can be written', 'begin', unwritable, 'hold record: JournalNotWritable', 'record? JournalNotWritable'],
  ['the journal can be written', 'leave', unwritable, 'hold cordon: JournalNotWritable', 'detach? JournalNotWritable'],
  [
    'the journal can be written',
    'announce',
    unwritable,
    'hold reboot: JournalNotWritable',
    'detach? JournalNotWritable',
  ],
  ['the journal can be written', 'again', unwritable, 'hold reboot: JournalNotWritable', 'reboot? JournalNotWritable'],
  ['the way back needs no journal', 'return', unwritable, 'act attach: setServer ready', 'attach: moveBack'],
  ['the API server is heard', 'begin', { unheard: true }, 'hold slot: ApiUnreachable', 'record? ApiUnreachable'],
  ['the API server is heard', 'leave', { unheard: true }, 'hold slot: ApiUnreachable', 'detach? ApiUnreachable'],
  ['the API server is heard', 'announce', { unheard: true }, 'hold slot: ApiUnreachable', 'detach? ApiUnreachable'],
  ['the API server is heard', 'again', { unheard: true }, 'hold reboot: ApiUnreachable', 'reboot? ApiUnreachable'],
  [
    'the API server is heard',
    'return',
    { unheard: true },
    'hold settle: ApiUnreachable',
    not('no object of the cluster says that a machine is back'),
  ],
  ['the probe measures', 'begin', mute, 'hold record: ProbeSilent', 'record? ProbeSilent'],
  ['the probe measures', 'leave', mute, 'hold cordon: ProbeSilent', 'detach? ProbeSilent'],
  ['the probe measures', 'announce', mute, 'hold reboot: ProbeSilent', 'detach? ProbeSilent'],
  ['the probe measures', 'again', mute, 'hold reboot: ProbeSilent', 'reboot? ProbeSilent'],
  ['the control was heard', 'begin', unsure, 'hold record: ControlAwaited', 'record? ControlAwaited'],
  ['the control was heard', 'leave', unsure, 'hold cordon: ControlAwaited', 'detach? ControlAwaited'],
  ['the control was heard', 'announce', unsure, 'hold reboot: ControlAwaited', 'detach? ControlAwaited'],
  ['the control was heard', 'again', unsure, 'hold reboot: ControlAwaited', 'reboot? ControlAwaited'],
  [
    'no requests fail that the file allows',
    'begin',
    allowed({}),
    'hold record: RequestsFailing',
    'record? RequestsFailing',
  ],
  [
    'no requests fail that the file allows',
    'leave',
    allowed({}),
    'hold cordon: RequestsFailing',
    'detach? RequestsFailing',
  ],
  [
    'no requests fail that the file allows',
    'announce',
    allowed({}),
    'hold reboot: RequestsFailing',
    'detach? RequestsFailing',
  ],
  ['what is announced is not held up by them', 'again', allowed({}), 'act reboot: sendReboot', 'reboot: reboot'],
  ['allowed failures are over', 'begin', allowed({ firstOkAt: wall }), 'act record: writeRecord', 'record: record'],
  [
    'the baseline was long enough',
    'begin',
    unmeasured({ startedAt: wallMs(NOW - 9000) }),
    'hold slot: BaselineShort',
    'record? BaselineShort',
  ],
  [
    'the baseline was green',
    'begin',
    unmeasured({ windows: [failed()] }),
    'hold slot: BaselineNotGreen',
    'record? BaselineNotGreen',
  ],
  ['a resumed run measures first', 'leave', red, 'hold slot: BaselineNotGreen', 'detach? BaselineNotGreen'],
  ['a resumed run measures first', 'announce', red, 'hold slot: BaselineNotGreen', 'detach? BaselineNotGreen'],
  ['what is announced is not held up by a baseline', 'again', red, 'act reboot: sendReboot', 'reboot: reboot'],
  ['a resumed run measures first', 'return', red, 'hold settle: BaselineNotGreen', 'settle? BaselineNotGreen'],
  ['a resumed run measures first', 'soak', red, 'hold soak: BaselineNotGreen', 'soak? BaselineNotGreen'],
  ['the control was heard', 'soak', unsure, 'hold soak: ControlAwaited', 'soak? ControlAwaited'],
  [
    'the soak time is over since traffic is measured',
    'soak',
    { ...measured, run: { measuredSince: wallMs(NOW - SOAK_MS + 1) } },
    'hold soak: Soaking',
    'soak? Soaking',
  ],
  [
    'the last requests of the soak have their verdicts',
    'soak',
    { ...probed({ lastVerdictAt: wallMs(NOW - 501) }), backMs: SOAK_MS + 500 },
    'hold soak: Soaking',
    'soak? Soaking',
  ],
  ['no allowed failure is as young as the soak', 'soak', blamed, 'hold soak: Soaking', 'soak? Soaking'],
  [
    'a failure that another step is blamed for does not count',
    'soak',
    { ...blamed, steps: [], ofMachine: {} },
    'act soak: removeRecord',
    'through',
  ],
  ['a window is open', 'begin', closed, 'act slot: releaseSlot', 'slot: releaseSlot'],
  [
    'a window is open, without a slot',
    'begin',
    { ...closed, slot: { state: 'free', mayAct: false } },
    'hold slot: WindowClosed',
    'slot? WindowClosed',
  ],
  [
    'it would be done in this window',
    'begin',
    closing,
    'act slot: releaseSlot',
    not('how long a machine takes is not known'),
  ],
  [
    'the balancers answer',
    'begin',
    { silent: true },
    'hold record: InstanceSilent',
    'record? InstanceSilent InstanceSilent',
  ],
  [
    'the balancers answer',
    'leave',
    { silent: true },
    'hold cordon: InstanceSilent',
    'detach? InstanceSilent InstanceSilent',
  ],
  ['the balancers answer', 'announce', { silent: true }, 'hold detach: InstanceSilent', 'detach? InstanceSilent'],
  [
    'the balancers were read since the slot was taken',
    'begin',
    { unread: true },
    'hold record: ReadBeforeSlot',
    'record? ReadBeforeSlot ReadBeforeSlot ReadBeforeSlot ReadBeforeSlot',
  ],
  ['kured has not its lock', 'begin', { kured: OF_NODE }, 'hold record: KuredLockHeld', 'record? KuredLockHeld'],
  ['kured has not its lock', 'leave', { kured: OF_NODE }, 'hold cordon: KuredLockHeld', 'detach? KuredLockHeld'],
  ['kured has not its lock', 'announce', { kured: OF_NODE }, 'hold reboot: KuredLockHeld', 'detach? KuredLockHeld'],
  ['kured has not its lock', 'again', { kured: OF_NODE }, 'act reboot: sendReboot', 'reboot: reboot'],
  ['the run has the lock of kured', 'begin', lockDue, 'hold record: KuredLockNotTaken', 'record? KuredLockNotTaken'],
  ['the run has the lock of kured', 'leave', lockDue, 'hold cordon: KuredLockNotTaken', 'detach? KuredLockNotTaken'],
  ['the gates pass', 'begin', asked, 'hold record: GateAsked', 'record? GateAsked'],
  ['the gates pass', 'leave', asked, 'hold cordon: GateAsked', 'detach? GateAsked'],
  ['the gates pass', 'announce', asked, 'hold reboot: GateAsked', 'reboot? GateAsked'],
  ['the gates pass', 'return', asked, 'hold settle: GateAsked', 'settle? GateAsked'],
  [
    'the node is Ready',
    'begin',
    withNode({ ready: 'Unknown' }),
    'hold record: NodeNotReady',
    not('a machine is asked by ssh: see the pair'),
  ],
  [
    'no other program is at work',
    'begin',
    withNode({ shuttingDown: true }),
    'hold record: NodeInOthersWork',
    NO_OBJECT,
  ],
  ['it is not being removed', 'begin', withNode({ deleting: true }), 'hold record: NodeBeingRemoved', NO_OBJECT],
  [
    'no other owner claims it',
    'begin',
    withNode({ annotations: { [MAINTENANCE_ANNOTATION]: '{' } }),
    'hold record: ClaimsUnreadable',
    NO_OBJECT,
  ],
  [
    'no pod is unsafe to evict',
    'begin',
    withPods([aPod('train-1', 'n1', { notSafeToEvict: true })], { drain: { ...aSpec().drain, safeToEvict: 'hold' } }),
    'hold record: PodNotSafeToEvict',
    NO_PODS,
  ],
  ['etcd keeps its quorum', 'begin', withPods([etcd('n1'), etcd('n2')]), 'hold record: EtcdQuorum', NO_PODS],
  [
    'the budget has room',
    'begin',
    { ofNode: (s) => ({ ...s, cluster: { ...s.cluster, nodes: [s.current.node, aNode('n2', { ready: 'False' })] } }) },
    'hold slot: OtherNodeBad',
    not('a machine is no node: it takes the first slot, and goes while no node is out'),
  ],
  [
    'no node is out',
    'begin',
    { ofMachine: { nodesOut: ['n2'] } },
    not('the budget counts nodes'),
    'record? NodeStillOut',
  ],
  [
    'another server is usable',
    'begin',
    { ofNode: (s) => ({ ...s, instances: [anInstance([aServer('n1')])] }) },
    'hold record: LastUsableServer',
    not('the other instance has to have each server up: see the pair'),
  ],
  [
    'the pair is whole',
    'begin',
    { ofMachine: { machines: [] } },
    not('a node shares no address'),
    'record? AddressOnNone',
  ],
]

for (const [rule, stage, change, node, machine] of GUARDS)
  test(`a node and a machine go by the same guards: ${rule}, at ${stage}`, () => {
    if (typeof node === 'string') assert.equal(shortDecision(decide(nodeWith(stage, change))), node)
    if (typeof machine === 'string') assert.equal(said(machineWith(stage, change)), machine)
  })

const verdictOf = (s: NodeSnapshot | HostSnapshot): string => {
  const verdict = judge(s)
  if (verdict === undefined) return 'none'
  const { kind, keepOut, ofNode, reasons } = verdict
  return [
    kind,
    ...(keepOut ? ['keepOut'] : []),
    ...(ofNode === true ? ['ofNode'] : []),
    ...reasons.map(({ code }) => code),
  ].join(' ')
}

const judged = probed({ windows: [failed({ firstOkAt: wall })] })
const waitedMs = (code: ReasonCode, ms: number): Change => ({
  waited: { stuckSince: at(ms), stuckReasons: [{ code, text: 'x' }] },
})
const tooMany: Change = { ...allowed({ failed: 10, sent: 10 }) }
const down: Change = {
  ...judged,
  spec: { probe: PROBE, stop: { latency: [], downtime: [{ target: 'shop', downtimeMs: 500 }] } },
}
const SHOP = { ...CONTROL, name: 'shop', control: false }
const slow: Change = {
  ...probed({
    settledBefore: wall,
    slow: [{ target: 'shop', slowerThanMs: 100, seconds: [{ at: wallMs(NOW - 5000), slow: 50, good: 50 }] }],
  }),
  spec: {
    probe: { ...PROBE, targets: [SHOP] },
    stop: { downtime: [], latency: [{ target: 'shop', slowerThanMs: 100, share: 0.1, overMs: 10_000 }] },
  },
}
const MIN_MS = 60_000
const over = { kind: 'stopped', keepOut: false, reasons: [{ code: 'RequestsFailed', text: 'x' }] } as const

/** With the default limits: 10 min for what blocks, 30 min for what takes its course, 2 min for a baseline. */
const STOPS: readonly Row[] = [
  ['nothing is wrong', 'leave', {}, 'none', 'none'],
  ['a request failed', 'begin', judged, 'stopped RequestsFailed', 'stopped RequestsFailed'],
  ['a request failed', 'announce', judged, 'stopped RequestsFailed', 'stopped RequestsFailed'],
  [
    'a request failed since it is back',
    'soak',
    judged,
    'stopped keepOut RequestsFailed',
    'stopped keepOut RequestsFailed',
  ],
  ['a failure that a control may excuse', 'announce', unsure, 'none', 'none'],
  [
    'more failed than the file allows',
    'announce',
    tooMany,
    'stopped TooManyFailed RequestsFailed',
    'stopped TooManyFailed RequestsFailed',
  ],
  [
    'more failed since it is back',
    'soak',
    tooMany,
    'stopped keepOut TooManyFailed RequestsFailed',
    'stopped keepOut TooManyFailed RequestsFailed',
  ],
  ['as many as the file allows', 'announce', allowed({}), 'none', 'none'],
  [
    'an error budget is used up',
    'announce',
    down,
    'stopped ErrorBudgetUsedUp RequestsFailed',
    'stopped ErrorBudgetUsedUp RequestsFailed',
  ],
  ['requests are too slow', 'announce', slow, 'stopped TooSlow', 'stopped TooSlow'],
  ['the window closed', 'leave', closed, 'held ofNode WindowClosedMeanwhile', 'held ofNode WindowClosedMeanwhile'],
  ['the window closed', 'announce', closed, 'held ofNode WindowClosedMeanwhile', 'held ofNode WindowClosedMeanwhile'],
  ['the window closed after the announcement', 'again', closed, 'none', 'none'],
  [
    'what blocks has lasted',
    'begin',
    waitedMs('InstanceSilent', 10 * MIN_MS),
    'held InstanceSilent',
    'held InstanceSilent',
  ],
  ['what blocks has not lasted', 'begin', waitedMs('InstanceSilent', 10 * MIN_MS - 1), 'none', 'none'],
  [
    'what blocks has lasted',
    'announce',
    waitedMs('InstanceSilent', 10 * MIN_MS),
    'held InstanceSilent',
    'held InstanceSilent',
  ],
  ['what takes its course', 'announce', waitedMs('ServerNotUp', 10 * MIN_MS), 'none', 'none'],
  [
    'what takes its course has lasted',
    'announce',
    waitedMs('ServerNotUp', 30 * MIN_MS),
    'held ServerNotUp',
    'held ServerNotUp',
  ],
  [
    'the baseline is red',
    'begin',
    waitedMs('BaselineNotGreen', 2 * MIN_MS),
    'held BaselineNotGreen',
    'held BaselineNotGreen',
  ],
  [
    'a window is waited for without a limit',
    'begin',
    { ...closed, ...waitedMs('WindowClosed', 999 * MIN_MS) },
    'none',
    'none',
  ],
  [
    'what blocks a roll that has stopped',
    'leave',
    { ...waitedMs('InstanceSilent', 10 * MIN_MS), run: { verdict: over } },
    'stopped RequestsFailed',
    'stopped RequestsFailed',
  ],
  [
    'traffic is not green in the soak',
    'soak',
    { ...red, backMs: 2 * MIN_MS },
    'stopped keepOut NotSoaked BaselineNotGreen',
    'stopped keepOut NotSoaked BaselineNotGreen',
  ],
  [
    'a worse verdict says nothing twice',
    'soak',
    {
      ...red,
      backMs: 2 * MIN_MS,
      run: { verdict: { ...over, reasons: [{ code: 'BaselineNotGreen', object: 'shop', text: 'x' }] } },
    },
    'stopped keepOut BaselineNotGreen NotSoaked',
    'stopped keepOut BaselineNotGreen NotSoaked',
  ],
]

for (const [rule, stage, change, node, machine] of STOPS)
  test(`a node and a machine are judged by the same rules: ${rule}, at ${stage}`, () => {
    assert.deepEqual([verdictOf(nodeWith(stage, change)), verdictOf(machineWith(stage, change))], [node, machine])
  })

const HOLD = { kind: 'hold', recheckAfterMs: 500 } as const
const withoutPods = (s: NodeSnapshot): NodeSnapshot => ({ ...s, evidence: { ...s.evidence, podsLeft: 0 } })
const SILENT = [{ code: 'InstanceSilent', text: 'x' }] as const

/** Each waits since a minute at its record. */
const WAITS: readonly (readonly [string, Pick<StepDecision, 'step' | 'reasons'>, sinceMs: number])[] = [
  ['the same step', { step: 'record', reasons: SILENT }, MIN_MS],
  ['another step', { step: 'detach', reasons: SILENT }, 0],
  ['what is waited for by law', { step: 'record', reasons: [{ code: 'ApiUnreachable', text: 'x' }] }, 0],
  ['a window', { step: 'record', reasons: [{ code: 'WindowClosed', text: 'x' }] }, 0],
]

for (const [what, pass, sinceMs] of WAITS)
  test(`a node and a machine wait in vain by the same clock: ${what}`, () => {
    const waited: Stuck = { stuckSince: at(MIN_MS), stuckStep: 'record', stuckReasons: SILENT }
    const decision = { ...HOLD, ...pass }
    const found = [
      rememberDecision(nodeWith('begin', { waited, ofNode: withoutPods }), decision).stuckSince,
      rememberHostDecision(machineWith('begin', { waited }), decision).stuckSince,
    ]
    assert.deepEqual(found, [at(sinceMs), at(sinceMs)])
  })

test('a node and a machine hear of a slot whose answer came too late for the caller', () => {
  const unread = { unread: true } as const
  const found = [observe(nodeWith('begin', unread)).slotTakenAt, observeHost(machineWith('begin', unread)).slotTakenAt]
  assert.deepEqual(found, [NOW, NOW])
})

test('a resumed node and a resumed machine are waited for only since the process has its slot', () => {
  const free = { slot: { state: 'free', mayAct: false } } as const
  const asking = { ...HOLD, step: 'slot', reasons: [{ code: 'SlotTaken', text: 'x' }] } as const
  const evidence = (stage: Stage, change: Change) => ({
    node: rememberDecision(nodeWith(stage, change), asking),
    machine: observeHost({ ...machineWith(stage, change), evidence: {} }),
  })
  const [again, back] = [evidence('again', free), evidence('return', free)]
  assert.deepEqual([again.node.awaySince, again.machine.rebootSince], [undefined, undefined])
  assert.deepEqual([back.node.settlingSince, back.machine.provenSince], [undefined, undefined])
  const held = { again: evidence('again', {}).machine, back: evidence('return', {}).machine }
  assert.deepEqual([held.again.rebootSince, held.back.provenSince], [NOW, NOW])
})

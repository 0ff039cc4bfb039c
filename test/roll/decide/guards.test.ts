import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FailureWindow, LaneSummary, ProbeStatus, ProbeTarget } from '../../../src/ground/model/probe.ts'
import { monoMs, wallMs } from '../../../src/ground/model/time.ts'
import { decide } from '../../../src/roll/decide/decide.ts'
import type { NodeSnapshot } from '../../../src/roll/decide/node-snapshot.ts'
import type { RollSnapshot } from '../../../src/roll/decide/snapshot.ts'
import type { RollSpec } from '../../../src/roll/model/roll-spec.ts'
import { RECORD_ANNOTATION } from '../../../src/service/model/node-record.ts'
import { announced, cordoned, out, proven, settled, withPort } from '../../support/roll-stages.ts'
import {
  aNode,
  anInstance,
  aPod,
  aRecord,
  aServer,
  aSnapshot,
  aSpec,
  detachedEvidence,
  drained,
  NEW_BOOT,
} from '../../support/roll-world.ts'
import { shortDecision } from '../../support/short-decision.ts'

const NOW = 1_700_000_000_000
const PROBE: NonNullable<RollSpec['probe']> = { targets: [], baselineMs: 10_000, baselineLimitMs: 120_000 }
const LANE: LaneSummary = {
  target: 'shop',
  control: false,
  lane: 'new',
  scheduled: 100,
  sent: 100,
  skipped: 0,
  failed: 0,
  slow: 0,
  p50Ms: 1,
  p90Ms: 1,
  p99Ms: 1,
  maxMs: 1,
  startErrorP99Ms: 0,
}

/** What the probe knows, as long ago as that. */
const probed = (startedMs: number, verdictMs: number, change: Partial<ProbeStatus> = {}): ProbeStatus => ({
  startedAt: wallMs(NOW - startedMs),
  lastVerdictAt: wallMs(NOW - verdictMs),
  lanes: [LANE],
  windows: [],
  notMeasured: [],
  greenStreak: 0,
  ...change,
})

const failed = (endedMs: number): FailureWindow => ({
  target: 'shop',
  control: false,
  lane: 'new',
  sent: 1,
  failed: 1,
  failures: { connect: 1 },
  firstError: 'ECONNREFUSED',
  firstBadAt: wallMs(NOW - endedMs - 100),
  lastBadAt: wallMs(NOW - endedMs - 50),
  firstOkAt: wallMs(NOW - endedMs),
})

const changed = (change: Partial<RollSnapshot>) => (s: NodeSnapshot) => ({ ...s, ...change })
const measured = (s: NodeSnapshot) => changed({ run: { ...s.run, measuredSince: wallMs(0) } })(s)
const probing = (probe: ProbeStatus) => changed({ spec: aSpec({ probe: PROBE }), probe })
const unheard = (s: NodeSnapshot) => changed({ cluster: { ...s.cluster, staleForMs: 1 } })(s)
const unwritable = changed({ journalWritable: false })
const lapsed = changed({ slot: { state: 'mine', mayAct: false } })
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
/** A request failed, and of the control nothing is known since. */
const unsure = (s: NodeSnapshot) =>
  changed({
    spec: aSpec({ probe: { ...PROBE, targets: [CONTROL] } }),
    probe: probed(60_000, 0, { windows: [{ ...failed(0), undecided: { failed: 1, since: wallMs(NOW) } }] }),
  })(measured(s))
const blind = (s: NodeSnapshot) => probing(probed(60_000, 3_001))(measured(s))

/** Before the first change to a node. */
const BEFORE: readonly (readonly [title: string, snapshot: RollSnapshot, decision: string])[] = [
  ['nothing keeps the node out', aSnapshot(), 'act record: writeRecord'],
  ['the slot is not renewed', lapsed(aSnapshot()), 'hold record: SlotNotRenewed'],
  ['the journal cannot be written', unwritable(aSnapshot()), 'hold record: JournalNotWritable'],
  ['the API is not heard', unheard(aSnapshot()), 'hold slot: ApiUnreachable'],
  ['the probe has gone silent', blind(aSnapshot()), 'hold record: ProbeSilent'],
  ['a failure waits for its control', unsure(aSnapshot()), 'hold record: ControlAwaited'],
  ['the baseline is young', probing(probed(9_999, 0))(aSnapshot()), 'hold slot: BaselineShort'],
  [
    'a lane of the baseline sends nothing',
    probing(probed(29_999, 0, { lanes: [{ ...LANE, sent: 0 }] }))(aSnapshot()),
    'hold slot: BaselineShort',
  ],
  [
    'the baseline measures nothing at all',
    probing(probed(29_999, 0, { lanes: [] }))(aSnapshot()),
    'hold slot: BaselineShort',
  ],
  [
    'a lane of the baseline sends nothing, and that lasts',
    probing(probed(30_000, 0, { lanes: [{ ...LANE, sent: 0 }] }))(aSnapshot()),
    'hold slot: TrafficNotMeasured',
  ],
  [
    'a lane of the baseline is not due yet, as its file has it send seldom',
    probing(probed(30_000, 0, { lanes: [LANE, { ...LANE, lane: 'kept', scheduled: 0, sent: 0 }] }))(aSnapshot()),
    'hold slot: BaselineShort',
  ],
  ['the probe goes silent in its baseline', probing(probed(60_000, 3_001))(aSnapshot()), 'hold slot: ProbeSilent'],
  [
    'the baseline is red',
    probing(probed(60_000, 0, { windows: [failed(9_999)] }))(aSnapshot()),
    'hold slot: BaselineNotGreen',
  ],
  [
    'the baseline was red once, and green since',
    probing(probed(60_000, 0, { windows: [failed(10_000)] }))(aSnapshot()),
    'act record: writeRecord',
  ],
  [
    'an instance is silent',
    aSnapshot({ change: { instances: [anInstance([aServer('n1'), aServer('n2')], { silentForMs: 1 })] } }),
    'hold record: InstanceSilent',
  ],
  ['the node itself is not Ready', aSnapshot({ node: { ready: 'False' } }), 'hold record: NodeNotReady'],
  [
    'an agent-check may undo what is set',
    aSnapshot({ servers: [aServer('n1', { agent: true }), aServer('n2')] }),
    'hold record: AgentCheck',
  ],
  [
    'its server is the last usable one',
    aSnapshot({ servers: [aServer('n1'), aServer('n2', { operational: 'down', totalSessions: 0 })] }),
    'hold record: LastUsableServer',
  ],
  [
    'the record was written before the guard failed',
    lapsed(aSnapshot({ record: aRecord() })),
    'hold cordon: SlotNotRenewed',
  ],
]

for (const [title, snapshot, decision] of BEFORE) {
  test(`before a node is touched: ${title}`, () => assert.equal(shortDecision(decide(snapshot)), decision))
}

const others = (change: Parameters<typeof aNode>[1], names = ['n2']): RollSnapshot => {
  const s = aSnapshot()
  const nodes = s.cluster.nodes.map((node) => (names.includes(node.name) ? aNode(node.name, change) : node))
  return { ...s, cluster: { ...s.cluster, nodes } }
}
const stale = (change: Parameters<typeof aNode>[1] = {}): RollSnapshot => ({
  ...others(change),
  slot: { state: 'stale', holderRun: 'run-9', holderNode: 'n2', mayAct: false },
})

const BUDGET: readonly (readonly [title: string, snapshot: RollSnapshot, decision: string])[] = [
  ['a node that is not Ready', others({ ready: 'Unknown' }), 'hold slot: OtherNodeBad'],
  [
    'a node that is out for another owner',
    others({ annotations: { [RECORD_ANNOTATION]: '{}' } }),
    'hold slot: OtherNodeBad',
  ],
  [
    'a node that is detached',
    aSnapshot({ servers: [aServer('n1'), aServer('n2', { adminState: 'maint' }), aServer('n3')] }),
    'hold slot: OtherNodeBad',
  ],
  ['no node that is cordoned and nothing else', others({ unschedulable: true }), 'act record: writeRecord'],
  [
    'most nodes at once, which says more of their heartbeats',
    others({ ready: 'Unknown' }, ['n2', 'n3']),
    'hold slot: MostNodesNotReady OtherNodeBad OtherNodeBad',
  ],
  ['no stale slot of a run that left no record on its node', stale(), 'act slot: takeSlot'],
  [
    'a stale slot of a run that is gone and left a record on its node',
    stale({ annotations: { [RECORD_ANNOTATION]: '{}' } }),
    'hold slot: OtherNodeBad',
  ],
]

for (const [title, snapshot, decision] of BUDGET) {
  test(`law: no roll begins a node that would be one more out than the budget allows; the node budget is used up by ${title}`, () =>
    assert.equal(shortDecision(decide(snapshot)), decision))
}

test('law: a stale slot of another run is not taken over while a node bears the record of a run without a living slot; a stale slot is taken over only where no node bears a record, our own among them', () => {
  const taken = (s: RollSnapshot) => {
    const decision = decide(s)
    return decision.kind === 'act' && decision.actions.map((action) => action.kind === 'takeSlot' && action.takeStale)
  }
  assert.deepEqual(taken(stale()), [true])
  const ours = aSnapshot({ node: { annotations: { [RECORD_ANNOTATION]: '{}' } } })
  assert.deepEqual(taken({ ...ours, slot: { state: 'stale', holderRun: 'run-9', mayAct: false } }), [false])
})

const pods = [aPod('cart-a', 'n1')]
const intent = { ...announced, evidence: { ...detachedEvidence(), intentByUs: true } }

/** What is done for a node, and may not be done any more. */
const EFFECTS: readonly (readonly [step: string, snapshot: NodeSnapshot])[] = [
  ['detach', aSnapshot(cordoned)],
  ['detach', aSnapshot({ ...out, servers: drained({ idleConnections: 2 }) })],
  ['drain', aSnapshot({ ...out, pods })],
  ['reboot', aSnapshot(out)],
  ['reboot', aSnapshot(intent)],
]
const REFUSALS: readonly (readonly [code: string, spoil: (s: NodeSnapshot) => RollSnapshot])[] = [
  ['SlotNotRenewed', lapsed],
  ['JournalNotWritable', unwritable],
  ['ProbeSilent', blind],
  ['ControlAwaited', unsure],
]

for (const [code, spoil] of REFUSALS) {
  test(`nothing further is done to a node: ${code}`, () => {
    for (const [step, snapshot] of EFFECTS) {
      const what = shortDecision(decide(snapshot))
      assert.match(what, new RegExp(`^act ${step}: `))
      assert.equal(shortDecision(decide(spoil(snapshot))), `hold ${step}: ${code}`, what)
    }
  })
}

test('no reboot is sent again by what was known of the cluster before the API went away', () => {
  const away = aSnapshot({ ...announced, evidence: { ...detachedEvidence(), awaySince: monoMs(900_000) } })
  assert.equal(shortDecision(decide(away)), 'act reboot: sendReboot')
  assert.equal(shortDecision(decide(unheard(away))), 'hold reboot: ApiUnreachable')
})

test('the probe is given the time that a request may take before it counts as silent', () => {
  const slow = (verdictMs: number) => {
    const s = measured(aSnapshot(out))
    const probe = { ...PROBE, targets: [{ ...CONTROL, control: false, timeoutMs: 2_000 }] }
    return shortDecision(
      decide(changed({ spec: aSpec({ probe }), probe: probed(60_000, verdictMs) })(s as NodeSnapshot)),
    )
  }
  assert.deepEqual([slow(5_000), slow(5_001)], ['act reboot: writeIntent', 'hold reboot: ProbeSilent'])
})

test('the last usable server and agent-checks are looked at again before a node is detached', () => {
  const servers = [aServer('n1', { agent: true }), aServer('n2')]
  assert.equal(shortDecision(decide(aSnapshot({ ...cordoned, servers }))), 'hold detach: AgentCheck')
})

test('law: an instance that cannot be asked confirms nothing, however long it is silent', () => {
  const instances = [anInstance([aServer('n1', { adminState: 'drain' }), aServer('n2')], { silentForMs: 9_999_999 })]
  assert.equal(shortDecision(decide(aSnapshot({ ...out, change: { instances } }))), 'hold detach: InstanceSilent')
  const never = instances.map(({ reading: _, ...facts }) => facts)
  assert.equal(
    shortDecision(decide(aSnapshot({ ...out, change: { instances: never } }))),
    'hold detach: InstanceSilent',
  )
})

test('an effect that restores needs no journal; only the owner of the slot puts a server back', () => {
  const restoring = [aSnapshot(proven), withPort(aSnapshot(settled)) as NodeSnapshot]
  assert.deepEqual(
    restoring.map((s) => shortDecision(decide(unwritable(s)))),
    ['act uncordon: uncordon', 'act attach: setServer ready'],
  )
  assert.equal(
    shortDecision(decide(lapsed(withPort(aSnapshot(settled)) as NodeSnapshot))),
    'hold attach: SlotNotRenewed',
  )
})

test('once the roll stops, a failure that waits for its control holds up nothing that is left to do', () => {
  const verdict = { kind: 'stopped', keepOut: false, reasons: [{ code: 'RequestsFailed', text: 'x' }] } as const
  const sure = unsure(aSnapshot(intent))
  assert.equal(shortDecision(decide({ ...sure, run: { ...sure.run, verdict } })), 'act reboot: sendReboot')
})

test('a soak is not over while a failure waits for its control', () => {
  const long = {
    attachingSince: monoMs(1),
    attachingSinceWall: wallMs(1),
    attachedAt: monoMs(1),
    attachedAtWall: wallMs(1),
  }
  const back = aSnapshot({ node: { bootId: NEW_BOOT }, record: aRecord(), announced: true, evidence: long })
  assert.equal(shortDecision(decide(unsure(back))), 'hold soak: ControlAwaited')
})

test('law: a process that resumes a node has its slot back before anything else; a process that resumes a node with the record of its run takes the slot back first, and waits for green traffic with it', () => {
  const red = probing(probed(60_000, 0, { windows: [failed(9_999)] }))(aSnapshot(cordoned))
  const resumed: RollSnapshot = { ...red, slot: { state: 'free', mayAct: false } }
  assert.deepEqual(
    [resumed, red].map((s) => shortDecision(decide(s))),
    ['act slot: takeSlot', 'hold slot: BaselineNotGreen'],
  )
})

/** Another Node, which serves by its own address, claims that of n1. */
const claimedBeside = (stage: Parameters<typeof aSnapshot>[0]): NodeSnapshot => {
  const s = aSnapshot(stage)
  const n5 = aNode('n5', { internalAddresses: ['10.0.0.5', '::ffff:10.0.0.1'] })
  const servers = s.instances.flatMap(({ reading }) => reading?.servers ?? [])
  const instances = [anInstance([...servers, aServer('n5')])]
  return { ...s, instances, cluster: { ...s.cluster, nodes: [...s.cluster.nodes, n5] } }
}

const SHARED: readonly (readonly [before: string, stage: Parameters<typeof aSnapshot>[0], decision: string])[] = [
  ['it is begun', {}, 'hold record: AddressShared'],
  ['its servers are taken out', cordoned, 'hold detach: AddressShared'],
  ['its pods leave', { ...out, pods: [aPod('cart-a', 'n1')] }, 'hold drain: AddressShared'],
  ['its reboot is announced', out, 'hold reboot: AddressShared'],
  [
    'its reboot is sent',
    { ...announced, evidence: { ...detachedEvidence(), intentByUs: true } },
    'hold reboot: AddressShared',
  ],
  ['its servers are put back', settled, 'hold attach: AddressShared'],
]

for (const [before, stage, decision] of SHARED)
  test(`law: nothing is taken out, put back, cut or rebooted for a node with an address that another Node has too; before ${before}`, () =>
    assert.equal(shortDecision(decide(withPort(claimedBeside(stage)))), decision))

test('law: nothing is taken out, put back, cut or rebooted for a node with an address that another Node has too; no session is cut', () => {
  const busy = [aServer('n1', { adminState: 'drain', ownState: 'drain', currentSessions: 2 }), aServer('n2')]
  const evidence = detachedEvidence({ since: monoMs(0) })
  const stage = { ...cordoned, servers: busy, evidence }
  assert.equal(shortDecision(decide(aSnapshot(stage))), 'act detach: cutSessions')
  assert.equal(shortDecision(decide(claimedBeside(stage))), 'hold detach: AddressShared')
})

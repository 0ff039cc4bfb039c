import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MAINTENANCE_ANNOTATION } from '../../../src/ground/model/claims.ts'
import { newLock } from '../../../src/ground/model/kured-lock.ts'
import type { Node } from '../../../src/ground/model/node.ts'
import type { Pod } from '../../../src/ground/model/pod.ts'
import { wallMs } from '../../../src/ground/model/time.ts'
import { decide } from '../../../src/roll/decide/decide.ts'
import type { RollSpec } from '../../../src/roll/model/roll-spec.ts'
import { NOW, said } from '../../support/a-host.ts'
import { aGate } from '../../support/gate-and-hook-world.ts'
import {
  allowed,
  blamed,
  type Change,
  closed,
  closing,
  failed,
  KURED,
  machineWith,
  measured,
  nodeWith,
  OF_NODE,
  probed,
  red,
  SOAK_MS,
  type Stage,
  unmeasured,
  unsure,
  wall,
} from '../../support/node-and-machine.ts'
import { aNode, anInstance, aPod, aServer, aSpec } from '../../support/roll-world.ts'
import { shortDecision } from '../../support/short-decision.ts'

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
const free: Change = { slot: { state: 'free', mayAct: false } }
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
  ['the slot is held', 'begin', free, 'act slot: takeSlot', 'slot: takeSlot'],
  ['the slot is held', 'leave', free, 'act slot: takeSlot', 'slot: takeSlot'],
  ['the slot is held', 'announce', free, 'act slot: takeSlot', 'slot: takeSlot'],
  ['the slot is held', 'again', free, 'act slot: takeSlot', 'slot: takeSlot'],
  ['the slot is held', 'return', free, 'act slot: takeSlot', 'slot: takeSlot'],
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
    withPods([aPod('train-1', 'n1', { notSafeToEvict: ['karpenter.sh/do-not-disrupt'] })], {
      drain: { ...aSpec().drain, safeToEvict: 'hold' },
    }),
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

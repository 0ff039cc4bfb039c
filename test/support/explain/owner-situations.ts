import type { GuardGround } from '../virtual-guard/guard-ground.ts'
import { nodeGuard, storage, volumeAttachment } from '../virtual-guard/guard-manifests.ts'
import { configMap, grants, recordOf } from './explain-manifests.ts'
import type { Situation } from './situation.ts'

const RUN = '20260101T000000Z-0001'

async function guarded(ground: GuardGround, spec: object = {}): Promise<void> {
  ground.begin().onError = (error) => {
    throw error
  }
  ground.apply(storage())
  ground.apply(nodeGuard({ ...spec }))
  await ground.until('every node to be guarded', () => ground.condition('Ready') === 'True AllGuarded', 60)
}

/** Nodes that guards, the budget, the brake, claims and runs have or hold. */
export const OWNERS: readonly Situation[] = [
  {
    name: 'a guard that its hold keeps',
    arrange: async (ground) => {
      await guarded(ground, { holds: [{ name: 'volumes', volumes: {} }] })
      ground.apply(volumeAttachment('a', 'n1'))
      ground.cordon('n1', true)
      await ground.until('n1 to be held', () => ground.rows()[0] === 'n1 Held HoldStands', 10)
      return 'node n1'
    },
    state: 'Draining',
    verdict:
      /^n1 is cordoned and waits for 1 pod: NodeGuard default\/guard: n1 is held by volumes: volumes are attached: pv-a$/,
    code: 'HoldStands',
    evidence: /^hold volumes: clear when no volume is attached to n1$/,
    next: /^evenkeel guard explain nodeguard\/guard --node n1 -n default$/,
  },
  {
    name: 'a guard that an annotation holds',
    arrange: async (ground) => {
      await guarded(ground, { holds: [{ name: 'busy', annotation: { key: 'example.com/busy' } }] })
      ground.annotateNode('n1', 'example.com/busy', 'yes')
      ground.cordon('n1', true)
      await ground.until('n1 to be held', () => ground.rows()[0] === 'n1 Held HoldStands', 10)
      return 'node n1'
    },
    state: 'Draining',
    verdict: /^n1 is cordoned and waits for 1 pod: NodeGuard default\/guard: n1 is held by busy: /,
    code: 'HoldStands',
    evidence: /^hold busy: clear when Node n1 does not have the annotation example\.com\/busy$/,
    next: /^evenkeel guard explain nodeguard\/guard --node n1 -n default$/,
  },
  {
    name: 'the pod of that guard',
    arrange: async (ground) => {
      await guarded(ground, { holds: [{ name: 'busy', annotation: { key: 'example.com/busy' } }] })
      ground.annotateNode('n1', 'example.com/busy', 'yes')
      ground.cordon('n1', true)
      await ground.until('n1 to be held', () => ground.rows()[0] === 'n1 Held HoldStands', 10)
      return `pod default/${ground.guardPods().find(({ spec }) => spec.nodeName === 'n1')?.metadata.name}`
    },
    state: 'Blocked',
    verdict: /is to leave n1, which is cordoned, and is held up: NodeGuard default\/guard: n1 is held by busy: /,
    code: 'HoldStands',
    next: /^evenkeel guard explain nodeguard\/guard --node n1 -n default$/,
  },
  {
    name: 'a guard that waits for another node',
    arrange: async (ground) => {
      await guarded(ground)
      const first = ground.drain('n1')
      await ground.until('n1 to be drained', first.isOver, 60)
      ground.cordon('n2', true)
      await ground.until('n2 to wait', () => ground.rows().some((row) => row.startsWith('n2 Requested')), 10)
      return 'node n2'
    },
    state: 'Draining',
    verdict: /^n2 is cordoned and waits for 1 pod: NodeGuard default\/guard: n2 waits for n1/,
    code: 'OtherNodeFirst',
    evidence: /^grant: n1 has the grant/,
  },
  {
    name: 'a guard that a person holds',
    arrange: async (ground) => {
      await guarded(ground)
      ground.holdByHand('n1', true)
      ground.cordon('n1', true)
      await ground.until('n1 to be held', () => ground.rows()[0] === 'n1 Held HeldByHand', 10)
      return 'node n1'
    },
    state: 'Draining',
    verdict: /^n1 is cordoned and waits for 1 pod: NodeGuard default\/guard: n1 is held by alice/,
    code: 'HeldByHand',
  },
  {
    name: 'a slot that another roll holds',
    arrange: async (ground) => {
      ground.holdSlot(0, 'n2')
      return 'node n1'
    },
    state: 'InService',
    verdict: /^n1 is in service; nothing takes it out, and it could not leave now: the node budget is used up/,
    code: 'BudgetUsedUp',
    evidence: /^n2 is about to leave: run 20260101T000000Z-0001 holds slot 0 for it/,
    next: /^evenkeel explain node n2$/,
  },
  {
    name: 'a budget that a claimed node uses up',
    arrange: async (ground) => {
      ground.annotateNode(
        'n2',
        'evenkeel.dev/maintenance',
        '{"version":2,"claims":[{"owner":"person/bob","id":"disk"}]}',
      )
      return 'node n1'
    },
    state: 'InService',
    verdict:
      /the node budget is used up, so no other node may leave: 1 of 3 nodes is out or about to be, and at most 1 may be$/,
    code: 'BudgetUsedUp',
    evidence: /^n2 is claimed by person\/bob$/,
    next: /^evenkeel explain node n2$/,
  },
  {
    name: 'a budget that makes no sense',
    arrange: async (ground) => {
      ground.apply(configMap('evenkeel-budget', { maxOut: 'many' }))
      return 'node n1'
    },
    state: 'InService',
    verdict: /no node may be taken out: data\.maxOut of ConfigMap evenkeel\/evenkeel-budget is "many"/,
    code: 'MaxOutInvalid',
    next: /^kubectl -n evenkeel patch configmap evenkeel-budget /,
  },
  {
    name: 'a cordon that the brake has not granted',
    arrange: async (ground) => {
      ground.apply(grants(['n2']))
      ground.cordon('n2', true)
      ground.cordon('n1', true)
      return 'node n1'
    },
    state: 'Draining',
    verdict:
      /^n1 is cordoned and drained, and is not done: the brake has not granted the cordon of n1, so its load balancers still send to it: n2 is granted/,
    code: 'CordonNotGranted',
    next: /^kubectl uncordon n2$/,
  },
  {
    name: 'a claim of a person, beside one of an ingress that is gone',
    arrange: async (ground) => {
      const claims = [
        { owner: 'ingress/default.gone', id: 'x' },
        { owner: 'person/bob', id: 'disk', why: "bob's new disk" },
      ]
      ground.annotateNode('n1', 'evenkeel.dev/maintenance', JSON.stringify({ version: 2, claims }))
      return 'node n1'
    },
    state: 'Claimed',
    verdict:
      /^n1 is kept out until its claims are withdrawn: ingress\/default\.gone keeps n1 out, and there is no such IngressDaemonSet$/,
    code: 'ClaimLeft',
    evidence: /owner person\/bob: bob's new disk/,
    next: /^kubectl patch node n1 --type json -p '\[\{"op":"test".*\\u0027s new disk/,
  },
  {
    name: 'the record of a run whose process is gone',
    arrange: async (ground) => {
      ground.annotateNode('n1', 'evenkeel.dev/record', recordOf(RUN))
      ground.cordon('n1', true)
      return 'node n1'
    },
    state: 'LeftBehind',
    verdict:
      /^n1 is out and nothing that is seen will bring it back: run 20260101T000000Z-0001 left n1 out, and no process of that run is seen$/,
    code: 'LeftBehind',
    evidence: /^no slot is held for n1$/,
    next: /^evenkeel roll resume 20260101T000000Z-0001$/,
  },
  {
    name: 'a run that lives by its slot, with its journal elsewhere',
    arrange: async (ground) => {
      ground.annotateNode('n1', 'evenkeel.dev/record', recordOf(RUN))
      ground.holdSlot(0, 'n1')
      ground.cordon('n1', true)
      return 'node n1'
    },
    state: 'InWork',
    verdict: /^n1 is being rolled: run 20260101T000000Z-0001 has taken n1 out, and will bring it back$/,
    code: 'RecordOfRun',
    evidence: /^the journal of run 20260101T000000Z-0001 is not on this machine$/,
  },
]

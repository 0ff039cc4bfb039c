import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatClaims, MAINTENANCE_ANNOTATION } from '../../../src/ground/model/claims.ts'
import { wallMs } from '../../../src/ground/model/time.ts'
import { decideIngress } from '../../../src/ingress/decide/decide.ts'
import type { IngressNode, IngressSnapshot } from '../../../src/ingress/decide/snapshot.ts'
import { shortIngressDecision as short } from '../../support/ingress-decision.ts'
import { aDeployment, aNodeOf, anOp, aScene, NOW, OURS } from '../../support/ingress-world.ts'

const r1 = { revisions: { desired: 'r1', current: 'r1' } } as const
const OTHER = aNodeOf('n2')
const out = anOp({ revision: 'r1' }, { t1: 90 })
const cordoned = { unschedulable: true }
const ofRoll: IngressNode['slot'] = { kind: 'others', owner: 'run x' }
const WITHDRAWN: IngressNode['slot'] = {
  ...{ kind: 'ours', index: 0, takenAt: wallMs(NOW - 60_000) },
  withdrawnAt: wallMs(NOW - 10_000),
}
const rollClaims = {
  [MAINTENANCE_ANNOTATION]: formatClaims([
    { owner: 'roll/20260101T000000Z-abcd', id: 'x' },
    { owner: 'ingress/edge.web', id: 'op-1', at: new Date(NOW - 95_000).toISOString() },
  ]),
}

const MAINTENANCE: readonly (readonly [title: string, world: IngressSnapshot, decision: string])[] = [
  [
    'its gate is closed before the node is cordoned',
    aScene([aNodeOf('n1', { deployment: { gate: 'absent' } }), OTHER], r1),
    'n1 setGate closed',
  ],
  [
    'its gate is open where the object says so',
    aScene([aNodeOf('n1'), aNodeOf('n2', { deployment: { gate: 'open' } })], { ...r1, spec: { drainGate: 'Open' } }),
    'n1 setGate open',
  ],
  ['it is cordoned: a slot first', aScene([aNodeOf('n1', { node: cordoned }), OTHER], r1), 'n1 takeSlot 0'],
  [
    'it is cordoned, and cordons are ignored',
    aScene([aNodeOf('n1', { node: cordoned }), OTHER], { ...r1, spec: { onCordon: 'Ignore' } }),
    'settled web IngressAsWanted',
  ],
  [
    'it is being drained by its conditions',
    aScene([aNodeOf('n1', { node: { lifecycle: ['DrainInProgress'] } }), OTHER], r1),
    'n1 takeSlot 0',
  ],
  [
    'a roll has its slot: that one is shared',
    aScene([aNodeOf('n1', { node: cordoned, slot: ofRoll }), OTHER], r1),
    'n1 writeOp Detaching r1 marked',
  ],
  [
    'most nodes are cordoned: no other one is taken out',
    aScene([aNodeOf('n1', { node: cordoned }), aNodeOf('n2', { node: cordoned })], r1),
    'hold web MassDisruption web MassDisruption',
  ],
  [
    'most nodes are cordoned, and a roll has the slot of one: that one is let go',
    aScene([aNodeOf('n1', { node: cordoned, slot: ofRoll }), aNodeOf('n2', { node: cordoned })], r1),
    'n1 writeOp Detaching r1 marked',
  ],
  [
    'it would be one too few: the drain waits at the gate',
    aScene([aNodeOf('n1', { node: cordoned }), OTHER], { ...r1, spec: { rollout: { minInServiceNodes: 2 } } }),
    'hold web TooFewInService',
  ],
  [
    'its graces run: the gate stays closed',
    aScene([aNodeOf('n1', { node: cordoned, slot: OURS, op: { ...out, t0: wallMs(NOW) }, asks: 'dc' }), OTHER], r1),
    'hold n1 DetachGrace',
  ],
  [
    'it is detached: the gate opens',
    aScene([aNodeOf('n1', { node: cordoned, slot: OURS, op: out, asks: 'dc' }), OTHER], r1),
    'n1 setGate open',
  ],
  [
    'its pods go where the object says so',
    aScene([aNodeOf('n1', { node: cordoned, slot: OURS, op: out, asks: 'dc', deployment: { gate: 'open' } }), OTHER], {
      ...r1,
      spec: { onCordon: 'DetachAndScaleDown' },
    }),
    'n1 scale 0',
  ],
  [
    'another revision is wanted: it is updated while it is out',
    aScene([aNodeOf('n1', { node: cordoned, slot: OURS, op: out, asks: 'dc', deployment: { gate: 'open' } }), OTHER], {
      revisions: { desired: 'r2', current: 'r1' },
    }),
    'n1 writeOp Detaching r2',
  ],
  [
    'it is uncordoned: the gate closes first',
    aScene([aNodeOf('n1', { slot: OURS, op: out, asks: 'dc', deployment: { gate: 'open' } }), OTHER], r1),
    'n1 setGate closed',
  ],
  [
    'it is uncordoned, and its gate is closed: its pods are looked at',
    aScene([aNodeOf('n1', { slot: OURS, op: out, asks: 'dc' }), OTHER], r1),
    'n1 writeOp Updating r1',
  ],
  [
    'it is uncordoned, another revision is wanted, and it is out: it goes there at once',
    aScene([aNodeOf('n1', { slot: OURS, op: { ...out, phase: 'Updating' }, asks: 'dc' }), OTHER], {
      revisions: { desired: 'r2', current: 'r1' },
    }),
    'n1 writeOp Updating r2',
  ],
  [
    'it is uncordoned, another revision is wanted, and its agent does not know of the detach: it may still serve',
    aScene(
      [
        aNodeOf('n1', { slot: OURS, op: { ...out, phase: 'Updating' }, asks: 'dc', is: { agent: {} } }),
        aNodeOf('n2', { is: { agent: {} } }),
      ],
      { revisions: { desired: 'r2', current: 'r1' } },
    ),
    'n1 writeOp Detaching r2',
  ],
  [
    'it is uncordoned without pods: they come back first',
    aScene(
      [
        aNodeOf('n1', { slot: OURS, op: { ...out, phase: 'Updating' }, asks: 'dc', deployment: { replicas: 0 } }),
        OTHER,
      ],
      r1,
    ),
    'n1 scale 2',
  ],
  [
    'the claim of a roll still stands: its own is withdrawn, since the roll waits for that',
    aScene(
      [aNodeOf('n1', { slot: ofRoll, op: { ...out, phase: 'Attaching' }, node: { annotations: rollClaims } }), OTHER],
      r1,
    ),
    'n1 withdrawClaim',
  ],
  [
    'it is cordoned again on its way back',
    aScene([aNodeOf('n1', { node: cordoned, slot: OURS, op: { ...out, phase: 'Attaching' } }), OTHER], r1),
    'n1 writeOp Detaching r1',
  ],
]

for (const [title, world, decision] of MAINTENANCE) {
  test(`law: pods may be evicted from a node by a drain once it is detached, and not before; ${title}`, () => {
    assert.equal(short(decideIngress(world)), decision)
  })
}

const leave = { eligibility: 'Leave' } as const
const LEAVING: readonly (readonly [title: string, world: IngressSnapshot, decision: string])[] = [
  ['it is to have none: a slot first', aScene([aNodeOf('n1', { is: leave }), OTHER], r1), 'n1 takeSlot 0'],
  [
    'it is going anyway: no slot is waited for',
    aScene([aNodeOf('n1', { is: { ...leave, isGoing: true } }), OTHER], {
      ...r1,
      spec: { rollout: { minInServiceNodes: 2 } },
    }),
    'n1 writeOp Detaching r1 marked',
  ],
  [
    'it is detached: its Deployment goes',
    aScene([aNodeOf('n1', { slot: OURS, op: out, asks: 'dc', is: leave }), OTHER], r1),
    'n1 deleteDeployment',
  ],
  [
    'none of its first pods is ready: its Deployment goes without a detach',
    aScene(
      [
        aNodeOf('n1', {
          op: anOp({ phase: 'Updating', isNew: true }),
          asks: 'd',
          deployment: { ready: 0, available: 0 },
          is: leave,
        }),
        OTHER,
      ],
      r1,
    ),
    'n1 deleteDeployment',
  ],
  [
    'its first pods are on their way in, and may serve: a slot first',
    aScene([aNodeOf('n1', { op: anOp({ phase: 'Attaching', isNew: true }), is: leave }), OTHER], r1),
    'n1 takeSlot 0',
  ],
  [
    'its pods still end',
    aScene([aNodeOf('n1', { slot: OURS, asks: 'c', deployment: 'none', is: leave }), OTHER], r1),
    'hold n1 PodsLeft',
  ],
  [
    'its pods are gone: the claim is withdrawn',
    aScene([aNodeOf('n1', { slot: OURS, asks: 'c', deployment: 'none', is: { ...leave, pods: 0 } }), OTHER], r1),
    'n1 withdrawClaim',
  ],
  [
    'nothing is left, and its load balancers have had the time to send to it again: the slot is given back',
    aScene([aNodeOf('n1', { slot: WITHDRAWN, deployment: 'none', is: { ...leave, pods: 0 } }), OTHER], r1),
    'n1 releaseSlot 0',
  ],
  [
    'its Node is gone: its Deployment goes at once',
    aScene(
      [
        {
          name: 'n1',
          eligibility: 'Leave',
          isGoing: false,
          pods: 2,
          slot: OURS,
          deployment: aDeployment(),
        },
        OTHER,
      ],
      r1,
    ),
    'n1 deleteDeployment',
  ],
  [
    'another Node has its name by now, and its pods are not ready there: the same',
    aScene([aNodeOf('n1', { deployment: { isOfEarlierNode: true, ready: 1 } }), OTHER], r1),
    'n1 deleteDeployment',
  ],
  [
    'its Node was registered anew while it was out: the same',
    aScene([aNodeOf('n1', { deployment: { isOfEarlierNode: true }, op: anOp(), asks: 'd', slot: OURS }), OTHER], r1),
    'n1 deleteDeployment',
  ],
  [
    'its Node was registered anew, and its pods are ready there: they stay',
    aScene([aNodeOf('n1', { deployment: { isOfEarlierNode: true } }), OTHER], r1),
    'n1 noteNode',
  ],
  [
    'a new node: it has pods at once, without a slot',
    aScene([aNodeOf('n1', { deployment: 'none' }), OTHER], r1),
    'n1 createDeployment r1',
  ],
  [
    'a new node that has the name of one that was out: the slot is given back first',
    aScene([aNodeOf('n1', { slot: WITHDRAWN, deployment: 'none' }), OTHER], r1),
    'n1 releaseSlot 0',
  ],
  [
    'a new node in a paused rollout has the pods that are known to be good',
    aScene([aNodeOf('n1', { deployment: 'none' }), OTHER], { spec: { rollout: { paused: true } } }),
    'n1 createDeployment r1',
  ],
  [
    'another number of pods: no detach',
    aScene([aNodeOf('n1', { deployment: { replicas: 3 } }), OTHER], r1),
    'n1 scale 2',
  ],
  [
    'its pods are rejected again and again: those that run stay, and no other is made',
    aScene([aNodeOf('n1', { deployment: { failedPods: 5, ready: 1, available: 1, runningPods: 1 } }), OTHER], r1),
    'n1 scale 1 rejected 1',
  ],
]

for (const [title, world, decision] of LEAVING) {
  test(`the pods of a node: ${title}`, () => assert.equal(short(decideIngress(world)), decision))
}

test('law: nothing is done to a node before its operation stands on its Deployment; the mark comes in the same write', () => {
  const decision = decideIngress(
    aScene([aNodeOf('n1', { slot: OURS }), aNodeOf('n2', { deployment: { revision: 'r2' } })]),
  )
  assert.ok(decision.kind === 'act')
  assert.deepEqual(
    decision.actions.map((action) => action.kind === 'writeOp' && [action.op.phase, action.op.t0, action.mark?.key]),
    [['Detaching', NOW, 'evenkeel.dev/detach']],
  )
})

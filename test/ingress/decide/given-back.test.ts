import assert from 'node:assert/strict'
import { test } from 'node:test'
import { wallMs } from '../../../src/ground/model/time.ts'
import { decideIngress } from '../../../src/ingress/decide/decide.ts'
import type { IngressNode } from '../../../src/ingress/decide/snapshot.ts'
import { shortIngressDecision as short } from '../../support/ingress-decision.ts'
import { aNodeOf, anOp, aScene, NOW, OURS } from '../../support/ingress-world.ts'

/** The grace of the way back is 10 s. */
const ago = (seconds: number) => wallMs(NOW - seconds * 1_000)
const taken = (seconds: number, withdrawn?: number): IngressNode['slot'] => ({
  ...{ kind: 'ours', index: 0, takenAt: ago(seconds) },
  ...(withdrawn === undefined ? {} : { withdrawnAt: ago(withdrawn) }),
})
const LONG_AGO = taken(60)
const out = (t3?: number) => anOp({ phase: 'Updating' }, { t1: 90, t2: 50, ...(t3 === undefined ? {} : { t3 }) })
const back = (t3: number) => ({ ...out(t3), phase: 'Attaching' as const })

const LOST: IngressNode['slot'] = { kind: 'ours', index: 0, takenAt: ago(60), lost: { op: back(9), since: ago(1) } }

const DELETED: readonly (readonly [title: string, n1: IngressNode, decision: string])[] = [
  ['its claim is withdrawn', aNodeOf('n1', { slot: OURS, op: out(), asks: 'c' }), 'n1 withdrawClaim'],
  ['that is done: since when is written', aNodeOf('n1', { slot: OURS, op: out() }), 'n1 writeOp Attaching r2'],
  ['its load balancers do not send yet', aNodeOf('n1', { slot: OURS, op: back(9) }), 'hold n1 AttachGrace'],
  ['they have had the time', aNodeOf('n1', { slot: OURS, op: back(10) }), 'n1 clearOp'],
  [
    'its agent is not waited for, since the object goes',
    aNodeOf('n1', { slot: OURS, op: back(10), is: { agent: {} } }),
    'n1 clearOp',
  ],
  ['the operation is gone', aNodeOf('n1', { slot: LONG_AGO }), 'n1 releaseSlot 0'],
  ['others removed the operation on its way back', aNodeOf('n1', { slot: LOST }), 'hold n1 AttachGrace'],
  [
    'the operation cannot be read: one that can is written first',
    aNodeOf('n1', { slot: OURS, op: '{"version":1', asks: 'dc' }),
    'n1 writeOp Attaching r2',
  ],
  ['others removed it: the same', aNodeOf('n1', { slot: OURS, asks: 'dc' }), 'n1 writeOp Attaching r2'],
  [
    'its first pods come up: it was never claimed',
    aNodeOf('n1', { op: anOp({ phase: 'Updating', isNew: true }) }),
    'n1 clearOp',
  ],
  [
    'it was deleted with its Deployments',
    aNodeOf('n1', { slot: taken(60, 9), deployment: 'none' }),
    'hold n1 AttachGrace',
  ],
  ['the same, a grace ago', aNodeOf('n1', { slot: taken(60, 10), deployment: 'none' }), 'n1 releaseSlot 0'],
  ['its Node is gone', without(aNodeOf('n1', { slot: taken(1), deployment: 'none' })), 'n1 releaseSlot 0'],
  ['all nodes are in service', aNodeOf('n1'), 'removeFinalizer'],
]

function without({ node: _node, ...n }: IngressNode): IngressNode {
  return n
}

for (const [title, n1, decision] of DELETED)
  test(`an object is deleted, and a slot of its nodes is kept for the grace of the way back: ${title}`, () => {
    const s = aScene([n1, aNodeOf('n2')])
    assert.equal(short(decideIngress({ ...s, object: { ...s.object, deleting: true } })), decision)
  })

const LEFT: readonly (readonly [title: string, slot: IngressNode['slot'], decision: string])[] = [
  ['its claim was withdrawn a moment ago', taken(60, 9), 'hold n1 AttachGrace'],
  ['its claim was withdrawn a grace ago', taken(60, 10), 'n1 releaseSlot 0'],
  ['the process before may have withdrawn it a moment ago', taken(9), 'hold n1 AttachGrace'],
  ['no claim was seen for a grace', taken(10), 'n1 releaseSlot 0'],
]

for (const [title, slot, decision] of LEFT)
  for (const eligibility of ['Leave', 'Run'] as const)
    test(`the pods of a node are gone, its slot is kept for the grace of the way back, and it is to ${eligibility}: ${title}`, () => {
      const n1 = aNodeOf('n1', { slot, deployment: 'none', is: { eligibility, pods: 0 } })
      assert.equal(short(decideIngress(aScene([n1, aNodeOf('n2', { deployment: { revision: 'r2' } })]))), decision)
    })

test('a hold of an object that is being deleted ends with the grace', () => {
  const s = aScene([aNodeOf('n1', { slot: OURS, op: back(7) })])
  const decision = decideIngress({ ...s, object: { ...s.object, deleting: true } })
  assert.ok(decision.kind === 'hold')
  assert.equal(decision.recheckAfterMs, 3_000)
})

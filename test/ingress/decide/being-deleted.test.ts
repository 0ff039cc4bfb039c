import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decideIngress } from '../../../src/ingress/decide/decide.ts'
import { passOf } from '../../../src/ingress/decide/pass.ts'
import type { IngressSnapshot } from '../../../src/ingress/decide/snapshot.ts'
import { shortIngressDecision as short } from '../../support/ingress-decision.ts'
import { aNodeOf, anOp, aScene, OURS } from '../../support/ingress-world.ts'

const deleted = (finalizers: readonly string[]): IngressSnapshot => {
  const s = aScene([aNodeOf('n1')])
  return { ...s, object: { ...s.object, deleting: true, finalizers } }
}

test('our finalizer is removed once, whatever others keep the object', () => {
  const ours = 'evenkeel.dev/detached-nodes'
  assert.equal(short(decideIngress(deleted([ours, 'example.com/backup']))), 'removeFinalizer')
  assert.match(short(decideIngress(deleted(['example.com/backup', 'foregroundDeletion']))), /^settled/)
})

const LEAVING = { isBeingDeleted: true } as const
const r1 = { revisions: { desired: 'r1', current: 'r1' } } as const
const out = { op: anOp({ revision: 'r1' }, { t1: 90 }), asks: 'dc', slot: OURS } as const

const ROWS: readonly (readonly [title: string, node: Parameters<typeof aNodeOf>[1], decision: string])[] = [
  ['its node is to have no pods', { ...out, deployment: LEAVING, is: { eligibility: 'Leave' } }, 'hold n1 PodsLeft'],
  ['its Node is gone', { deployment: LEAVING, is: { node: undefined } as never }, 'hold n1 PodsLeft'],
  ['others deleted it while the node serves', { deployment: LEAVING }, 'hold n1 PodsLeft'],
  [
    'others deleted it in mid-update',
    { ...out, op: anOp({ phase: 'Verifying', revision: 'r1' }), deployment: LEAVING },
    'hold n1 PodsLeft',
  ],
]

for (const [title, node, decision] of ROWS)
  test(`a Deployment that is being deleted is waited for, and neither deleted again nor worked on: ${title}`, () => {
    const s = aScene([aNodeOf('n1', node), aNodeOf('n2')], r1)
    const said = decideIngress(s)
    assert.equal(short(said), decision)
    assert.match(said.reasons[0]?.text ?? '', /is being deleted/)
  })

test('a node whose Deployment is being deleted does not serve: its health port says so', () => {
  assert.equal(passOf(aScene([aNodeOf('n1', { deployment: LEAVING })])).nodes[0]?.isServing, false)
})

test('an object that is deleted puts the node back, also while its Deployment is being deleted', () => {
  const s = aScene([aNodeOf('n1', { ...out, deployment: LEAVING })], r1)
  const gone = { ...s, object: { ...s.object, deleting: true } }
  assert.equal(short(decideIngress(gone)), 'n1 unmarkDeployment')
})

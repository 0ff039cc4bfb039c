import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decideIngress } from '../../../src/core/ingress/decide.ts'
import type { ObjectAction } from '../../../src/core/ingress/household.ts'
import { actionKey, atMost, refusalReasons, refusedLast } from '../../../src/core/ingress/refusals.ts'
import { ingressStatus } from '../../../src/core/ingress/status.ts'
import { aNodeOf, aScene } from '../../support/ingress-world.ts'
import { served } from '../../support/served-object.ts'

const gateOf = (node: string): ObjectAction => ({ kind: 'setGate', node, isOpen: false })
const refused = (...actions: readonly ObjectAction[]) => new Map(actions.map((action) => [actionKey(action), 'no']))

test('a write that was refused is tried after all others', () => {
  const actions = ['n1', 'n2', 'n3'].map(gateOf)
  const nodes = refusedLast(actions, refused(gateOf('n1'))).map((action) => 'node' in action && action.node)
  assert.deepEqual(nodes, ['n2', 'n3', 'n1'])
})

test('fifty nodes whose Deployments are refused keep no other node from its own', () => {
  const names = Array.from({ length: 120 }, (_, at) => `n${String(at).padStart(3, '0')}`)
  const scene = aScene(names.map((name) => aNodeOf(name, { deployment: 'none', is: { pods: 0 } })))
  const created = (refusals?: ReadonlyMap<string, string>) => {
    const decision = decideIngress({ ...scene, ...(refusals === undefined ? {} : { refusals }) })
    return decision.kind === 'act' ? decision.actions.map((action) => ('node' in action ? action.node : '')) : []
  }
  assert.deepEqual(created(), names.slice(0, 50))
  const first = names.slice(0, 60)
  const after = created(new Map(first.map((name) => [`createDeployment ${name}`, 'no'])))
  assert.deepEqual(after.toSorted(), [...names.slice(0, 50), ...names.slice(60, 110)])
})

test('so many are done at once, and those that were refused take no place of others', () => {
  const actions = ['n1', 'n2', 'n3', 'n4'].map(gateOf)
  assert.deepEqual(atMost(2, actions, undefined), actions.slice(0, 2))
  assert.deepEqual(atMost(2, actions, refused(...actions.slice(0, 3))), [gateOf('n4'), gateOf('n1'), gateOf('n2')])
})

test('a refusal is said of the node that the write is for, and no more once the write is not to be done', () => {
  const metadata = { name: 'web-abc', annotations: { 'evenkeel.dev/node': 'n2' } }
  const gate = served('PodDisruptionBudget', { metadata } as never)
  const deletes: ObjectAction = { kind: 'deleteGate', gate }
  const finalizer: ObjectAction = { kind: 'addFinalizer' }
  const actions = [gateOf('n1'), deletes, finalizer]
  const objects = refusalReasons(actions, refused(...actions), 'web').map(({ object }) => object)
  assert.deepEqual(objects, ['n1', 'n2', 'web'])
  assert.deepEqual(refusalReasons([gateOf('n1')], refused(gateOf('n3')), 'web'), [])
})

test('a node in service is listed where a write for it is refused, before those that wait for their turn', () => {
  const at = { deployment: { revision: 'r2' } }
  const scene = aScene([aNodeOf('n1'), aNodeOf('n2', at), aNodeOf('n3', at)])
  const status = ingressStatus(scene, [{ code: 'WriteRefused', object: 'n3', text: 'it is refused' }])
  const rows = status?.fields.nodes as readonly { readonly name: string; readonly state: string }[]
  assert.deepEqual(
    rows.map(({ name, state }) => `${name} ${state}`),
    ['n3 InService', 'n1 Queued'],
  )
})

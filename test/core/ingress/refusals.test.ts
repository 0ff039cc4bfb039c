import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RefusedWrites } from '../../../src/controllers/ingress/refused-writes.ts'
import { decideIngress } from '../../../src/core/ingress/decide.ts'
import type { ObjectAction } from '../../../src/core/ingress/household.ts'
import { actionKey, atMost, type Refusals, refusalReasons, refusedLast } from '../../../src/core/ingress/refusals.ts'
import { ingressStatus } from '../../../src/core/ingress/status.ts'
import { wallMs } from '../../../src/model/time.ts'
import { WorldError } from '../../../src/model/world-error.ts'
import { aNodeOf, aScene } from '../../support/ingress-world.ts'
import { served } from '../../support/served-object.ts'

const gateOf = (node: string): ObjectAction => ({ kind: 'setGate', node, isOpen: false })
const refusedUntil = (until: number, ...actions: readonly ObjectAction[]): Refusals =>
  new Map(actions.map((action) => [actionKey(action), { words: 'no', until: wallMs(until) }]))
const refused = (...actions: readonly ObjectAction[]): Refusals => refusedUntil(0, ...actions)
const createOf = (node: string): ObjectAction => ({ kind: 'createDeployment', node }) as ObjectAction

test('a write that was refused is tried after all others', () => {
  const actions = ['n1', 'n2', 'n3'].map(gateOf)
  const nodes = refusedLast(actions, refused(gateOf('n1'))).map((action) => 'node' in action && action.node)
  assert.deepEqual(nodes, ['n2', 'n3', 'n1'])
})

test('fifty nodes whose Deployments are refused keep no other node from its own', () => {
  const names = Array.from({ length: 120 }, (_, at) => `n${String(at).padStart(3, '0')}`)
  const scene = aScene(names.map((name) => aNodeOf(name, { deployment: 'none', is: { pods: 0 } })))
  const created = (refusals?: Refusals) => {
    const decision = decideIngress({ ...scene, ...(refusals === undefined ? {} : { refusals }) })
    return decision.kind === 'act' ? decision.actions.map((action) => ('node' in action ? action.node : '')) : []
  }
  assert.deepEqual(created(), names.slice(0, 50))
  const first = names.slice(0, 60)
  const after = created(refused(...first.map(createOf)))
  assert.deepEqual(after.toSorted(), [...names.slice(0, 50), ...names.slice(60, 110)])
})

test('so many are done at once, and those that were refused take no place of others', () => {
  const actions = ['n1', 'n2', 'n3', 'n4'].map(gateOf)
  const now = wallMs(1_000)
  assert.deepEqual(atMost(2, actions, { now }), { now: actions.slice(0, 2), later: [] })
  const refusals = refused(...actions.slice(0, 3))
  assert.deepEqual(atMost(2, actions, { now, refusals }), {
    now: [gateOf('n4'), gateOf('n1'), gateOf('n2')],
    later: [gateOf('n3')],
  })
  const paused = refusedUntil(1_001, ...actions.slice(0, 3))
  assert.deepEqual(atMost(2, actions, { now, refusals: paused }), { now: [gateOf('n4')], later: actions.slice(0, 3) })
})

test('a node that could not be begun and gave its slot back is asked last for a minute', () => {
  const at = { deployment: { revision: 'r1' } }
  const scene = aScene([aNodeOf('n1', at), aNodeOf('n2', at), aNodeOf('n3', at)])
  const begun = (refusals?: Refusals): string => {
    const decision = decideIngress({ ...scene, ...(refusals === undefined ? {} : { refusals }) })
    const [action] = decision.kind === 'act' ? decision.actions : []
    assert.ok(action?.kind === 'takeSlot')
    return action.node
  }
  const first = begun()
  const memory = new RefusedWrites()
  const error = new WorldError('no', { code: 'KUBE_FORBIDDEN', retry: 'never' })
  const writeOp = { kind: 'writeOp', node: first } as ObjectAction
  memory.refuse('u', writeOp, { error, now: scene.now, generation: 1, luck: 0.5 })
  const refusals = () => memory.of({ uid: 'u', generation: 1 })
  memory.keep('u', [], wallMs(scene.now + 59_000))
  assert.notEqual(begun(refusals()), first)
  memory.keep('u', [], wallMs(scene.now + 60_000))
  assert.equal(begun(refusals()), first)
})

test('others of a kind that was refused are tried after all other kinds', () => {
  const opens: ObjectAction = { kind: 'clearOp', node: 'n9' }
  const nodes = refusedLast(['n1', 'n2', 'n3'].map(gateOf).concat(opens), refused(gateOf('n2'))).map(
    (action) => 'node' in action && action.node,
  )
  assert.deepEqual(nodes, ['n9', 'n1', 'n3', 'n2'])
})

test('a node whose write was refused waits for the end of its pause, and for what others wait for nothing is late', () => {
  const scene = aScene([aNodeOf('n1', { deployment: 'none', is: { pods: 0 } }), aNodeOf('n2')])
  const first = decideIngress(scene)
  const actions = first.kind === 'act' ? first.actions : []
  assert.deepEqual(actions.map(actionKey), ['createDeployment n1'])
  const refusals = refusedUntil(scene.now + 4_000, createOf('n1'))
  const paused = decideIngress({ ...scene, refusals })
  assert.equal(paused.kind, 'hold')
  assert.deepEqual([paused.recheckAfterMs, paused.later?.map(actionKey)], [4_000, ['createDeployment n1']])
  assert.deepEqual(paused.reasons, first.reasons)
  const over = decideIngress({ ...scene, refusals, now: wallMs(scene.now + 4_000) })
  assert.deepEqual(over.kind === 'act' && over.actions.map(actionKey), ['createDeployment n1'])
})

test('where writes are refused for 160 nodes, all are known after some passes, and a pass between pauses tries none', () => {
  const names = Array.from({ length: 160 }, (_, at) => `n${at + 100}`)
  const scene = aScene(names.map((name) => aNodeOf(name, { deployment: 'none', is: { pods: 0 } })))
  const memory = new RefusedWrites()
  const error = new WorldError('no', { code: 'KUBE_FORBIDDEN', retry: 'never' })
  const tried = [0, 1_000, 2_000, 3_000, 4_000, 5_000].map((after) => {
    const now = wallMs(scene.now + after)
    const refusals = memory.of({ uid: 'u', generation: 1 })
    const decision = decideIngress({ ...scene, now, ...(refusals === undefined ? {} : { refusals }) })
    const actions = decision.kind === 'act' ? decision.actions : []
    memory.keep('u', [...actions, ...(decision.kind === 'settled' ? [] : (decision.later ?? []))], now)
    for (const action of actions) memory.refuse('u', action, { error, now, generation: 1, luck: 0.5 })
    return actions.length
  })
  assert.deepEqual(tried, [50, 50, 50, 10, 0, 0])
  assert.equal(memory.of({ uid: 'u', generation: 1 })?.size, 160)
  const at = wallMs(scene.now + 5_000)
  const areDue = [...(memory.of({ uid: 'u', generation: 2 }) ?? [])].every(([, { until }]) => until <= at)
  assert.ok(areDue, 'another generation of the object is tried at once')
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
  assert.deepEqual(
    rows.map((row) => 'since' in row),
    [false, true],
    'of a node in service it would say nothing of what is refused',
  )
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Refusals } from '../../../src/ground/model/owned/refused-write.ts'
import { wallMs } from '../../../src/ground/model/time.ts'
import { WorldError } from '../../../src/ground/model/world-error.ts'
import { decideIngress } from '../../../src/ingress/decide/decide.ts'
import type { ObjectAction } from '../../../src/ingress/decide/housekeeping.ts'
import { actionKey, atMost, refusalReasons, refusedLast } from '../../../src/ingress/decide/refusals.ts'
import type { IngressNode, IngressSnapshot } from '../../../src/ingress/decide/snapshot.ts'
import { ingressStatus } from '../../../src/ingress/decide/status.ts'
import { IngressRefusals } from '../../../src/ingress/run/ingress-refusals.ts'
import { aNodeOf, aScene } from '../../support/ingress-world.ts'
import { served } from '../../support/served-object.ts'

const gateOf = (node: string): ObjectAction => ({ kind: 'setGate', node, isOpen: false })
const refusedUntil = (until: number, ...actions: readonly ObjectAction[]): Refusals =>
  new Map(actions.map((action) => [actionKey(action), { words: 'no', since: wallMs(0), until: wallMs(until) }]))
const refused = (...actions: readonly ObjectAction[]): Refusals => refusedUntil(0, ...actions)
const writeOpOf = (node: string): ObjectAction => ({ kind: 'writeOp', node }) as ObjectAction
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
  assert.deepEqual(atMost(2, actions, { now }), { now: actions.slice(0, 2), later: actions.slice(2) })
  const refusals = refused(...actions.slice(0, 3))
  assert.deepEqual(atMost(2, actions, { now, refusals }), {
    now: [gateOf('n4'), gateOf('n1'), gateOf('n2')],
    later: [gateOf('n3')],
  })
  const paused = refusedUntil(1_001, ...actions.slice(0, 3))
  assert.deepEqual(atMost(2, actions, { now, refusals: paused }), { now: [gateOf('n4')], later: actions.slice(0, 3) })
  assert.deepEqual(atMost(1, actions, { now, refusals: refusedUntil(1_001, gateOf('n1')) }), {
    now: [gateOf('n2')],
    later: [gateOf('n3'), gateOf('n4'), gateOf('n1')],
  })
})

/** Three nodes with older pods, of which one may be out. */
const OLD = { deployment: { revision: 'r1' } }
const THREE = ['n1', 'n2', 'n3'].map((name) => aNodeOf(name, OLD))

function firstBegun(nodes: readonly IngressNode[], known: Partial<IngressSnapshot> = {}): string {
  const decision = decideIngress({ ...aScene(nodes), ...known })
  const [action] = decision.kind === 'act' ? decision.actions : []
  assert.ok(action?.kind === 'takeSlot')
  return action.node
}

test('nodes whose operation is refused are asked last, for an hour, and the one that was refused first before the others', () => {
  const { now } = aScene(THREE)
  const at = (afterMs: number) => wallMs(now + afterMs)
  const memory = new IngressRefusals()
  const error = new WorldError('no', { code: 'KUBE_FORBIDDEN', retry: 'never' })
  const refuse = (node: string, afterMs: number): boolean =>
    memory.refuse({ uid: 'u', generation: 1 }, writeOpOf(node), { error, now: at(afterMs), luck: 0.5 })
  const begun = (afterMs: number, generation = 1): string => {
    memory.keep('u', [])
    return firstBegun(THREE, { ...memory.known({ uid: 'u', generation }, at(afterMs)), now: at(afterMs) })
  }
  const first = begun(0)
  refuse(first, 0)
  const second = begun(1_000)
  assert.notEqual(second, first)
  refuse(second, 90_000)
  const third = begun(91_000)
  assert.ok(third !== first && third !== second)
  refuse(third, 180_000)
  assert.equal(begun(181_000), first)
  refuse(first, 181_000)
  assert.equal(begun(182_000), second)
  assert.equal(begun(182_000, 2), first, 'another generation of the object may be allowed')
  memory.refuse({ uid: 'u', generation: 1 }, writeOpOf(second), { error, now: at(183_000), luck: 0.5 })
  assert.equal(begun(3_783_000), first, 'an hour later')
})

for (const [code, retryAfterMs, pauseMs] of [
  ['KUBE_FORBIDDEN', undefined, 8_750],
  ['KUBE_FORBIDDEN', 60_000, 60_000],
  ['KUBE_CONFLICT', 60_000, 60_000],
  ['KUBE_CONFLICT', undefined, undefined],
  ['KUBE_THROTTLED', 60_000, undefined],
] as const)
  test(`a write that is answered with ${code} and Retry-After ${retryAfterMs} waits ${pauseMs} ms by itself`, () => {
    const memory = new IngressRefusals()
    const error = new WorldError('no', {
      code,
      retry: 'backoff',
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    })
    const subject = { uid: 'u', generation: 1 }
    memory.refuse(subject, createOf('n1'), { error, now: wallMs(0), luck: 0.5 })
    assert.equal(memory.of(subject)?.get(actionKey(createOf('n1')))?.until, pauseMs)
  })

test('a node whose operation was begun after all keeps its turn', () => {
  const { now } = aScene(THREE)
  const memory = new IngressRefusals()
  const error = new WorldError('no', { code: 'KUBE_FORBIDDEN', retry: 'never' })
  const first = firstBegun(THREE)
  memory.refuse({ uid: 'u', generation: 1 }, writeOpOf(first), { error, now, luck: 0.5 })
  memory.done('u', writeOpOf(first))
  assert.equal(firstBegun(THREE, memory.known({ uid: 'u', generation: 1 }, now)), first)
})

test('a node that others wait for lets others go first for a minute after its operation was refused', () => {
  const cordoned = aNodeOf('n3', { ...OLD, node: { unschedulable: true } })
  const nodes = [...THREE.slice(0, 2), cordoned]
  const { now } = aScene(nodes)
  const refusedAgo = (agoMs: number): string => firstBegun(nodes, { unbegun: new Map([['n3', wallMs(now - agoMs)]]) })
  assert.equal(firstBegun(nodes), 'n3')
  assert.notEqual(refusedAgo(59_999), 'n3')
  assert.equal(refusedAgo(60_000), 'n3')
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
  const memory = new IngressRefusals()
  const error = new WorldError('no', { code: 'KUBE_FORBIDDEN', retry: 'never' })
  const tried = [0, 1_000, 2_000, 3_000, 4_000, 5_000].map((after) => {
    const now = wallMs(scene.now + after)
    const { refusals } = memory.known({ uid: 'u', generation: 1 }, now)
    const decision = decideIngress({ ...scene, now, ...(refusals === undefined ? {} : { refusals }) })
    const actions = decision.kind === 'act' ? decision.actions : []
    memory.keep('u', [...actions, ...(decision.kind === 'settled' ? [] : (decision.later ?? []))])
    for (const action of actions) memory.refuse({ uid: 'u', generation: 1 }, action, { error, now, luck: 0.5 })
    return actions.length
  })
  assert.deepEqual(tried, [50, 50, 50, 10, 0, 0])
  const at = wallMs(scene.now + 5_000)
  assert.equal(memory.known({ uid: 'u', generation: 1 }, at).refusals?.size, 160)
  const areDue = [...(memory.known({ uid: 'u', generation: 2 }, at).refusals ?? [])].every(
    ([, { until }]) => until <= at,
  )
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

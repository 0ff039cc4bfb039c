import assert from 'node:assert/strict'
import { isReady, type PodObject } from '../../src/sim/actors/pod-object.ts'
import { DAEMON_SETS, LEASES, NODE_GUARDS, NODES, VOLUME_ATTACHMENTS } from '../../src/sim/world/api-resource.ts'
import { type SimulationContext, simulationTest } from '../support/simulation-test.ts'
import { GuardGround } from '../support/virtual-guard/guard-ground.ts'
import {
  guardTemplate,
  type Json,
  neverReady,
  nodeGuard,
  STORAGE_LABEL,
  storage,
  volumeAttachment,
} from '../support/virtual-guard/guard-manifests.ts'
import { budgetOf } from '../support/virtual-ingress/ingress-manifests.ts'

const test = simulationTest(import.meta.url)

async function guarded(t: SimulationContext, spec: Json, nodes = 3): Promise<GuardGround> {
  const ground = await GuardGround.open({ nodes })
  t.after(() => ground.end())
  const process = ground.begin()
  process.onError = (error) => {
    throw error
  }
  ground.apply(storage())
  ground.apply(nodeGuard(spec))
  await ground.until('every node to be guarded', () => ground.condition('Ready') === 'True AllGuarded', 60)
  return ground
}

for (const mode of ['PerNode', 'Budget'] as const) {
  test(`${mode}: two nodes that are drained at once go one after the other`, async (t) => {
    const ground = await guarded(t, { mode })
    assert.deepEqual(ground.guarded(), ['n1', 'n2', 'n3'])
    const [one, other] = [ground.drain('n1'), ground.drain('n2')]
    await ground.until('one of them to be drained', () => one.isOver() || other.isOver(), 30)
    const [first, second, last] = one.isOver() ? ['n1', 'n2', other] : ['n2', 'n1', one]
    assert.deepEqual(ground.slotNodes(), [first])
    await ground.notWithin(20, () => last.isOver())
    assert.ok(ground.guarded().includes(second ?? ''))
    assert.deepEqual(ground.slotNodes(), [first])
    ground.cordon(first ?? '', false)
    await ground.until('the other to be drained', () => last.isOver(), 30)
    assert.deepEqual(ground.guarded(), [first, 'n3'])
    ground.cordon(second ?? '', false)
    await ground.until('all to be guarded again', () => ground.condition('Ready') === 'True AllGuarded', 30)
    await ground.until(
      'the slot to be free',
      () => ground.slotNodes().length === 0 && ground.claimed().length === 0,
      30,
    )
    assert.deepEqual(ground.rows(), [])
  })
}

test('a node is held while a volume is on it, and the next node waits for it', async (t) => {
  const ground = await guarded(t, { holds: [{ name: 'volumes', volumes: {} }] })
  ground.apply(volumeAttachment('a', 'n1'))
  const first = ground.drain('n1')
  await ground.until('n1 to be held', () => ground.rows()[0] === 'n1 Held HoldStands', 10)
  await ground.notWithin(30, () => first.isOver())
  ground.remove(VOLUME_ATTACHMENTS, { name: 'a' })
  await ground.until('n1 to be drained', () => first.isOver(), 9)
})

for (const mode of ['PerNode', 'Budget'] as const) {
  test(`${mode}: a selector of the DaemonSet that is gone again brings the guards back`, async (t) => {
    const ground = await guarded(t, { mode })
    for (const name of ['n1', 'n2']) ground.label(name, 'yes')
    ground.apply(storage({ nodeSelector: { [STORAGE_LABEL]: 'yes' } }))
    await ground.until('n3 to be without a guard', () => ground.guardPods().length === 2, 30)
    await ground.until('two nodes to be guarded', () => ground.condition('Ready') === 'True AllGuarded', 60)
    ground.apply(storage({ nodeSelector: null }))
    await ground.until('n3 to be guarded', () => ground.guarded().join() === 'n1,n2,n3', 60)
  })

  test(`${mode}: guards that do not become ready are replaced once their template is corrected`, async (t) => {
    const ground = await guarded(t, { mode })
    ground.apply(nodeGuard({ mode, template: neverReady() }))
    const others = (): boolean =>
      ground.guardPods().some((pod) => !isReady(pod) && pod.metadata.deletionTimestamp === undefined)
    await ground.until('a guard that is not ready', others, 60)
    await ground.notWithin(20, () => ground.guarded().length < 2)
    ground.apply(nodeGuard({ mode, template: guardTemplate('2') }))
    const corrected = (): readonly PodObject[] =>
      ground.guardPods().filter((pod) => isReady(pod) && JSON.stringify(pod.spec).includes('"VERSION","value":"2"'))
    const nodes = (): string =>
      corrected()
        .map(({ spec }) => spec.nodeName)
        .toSorted()
        .join()
    await ground.until('every node to be guarded by the template', () => nodes() === 'n1,n2,n3', 120)
    await ground.until('the status', () => ground.condition('Ready') === 'True AllGuarded', 30)
  })
}

for (const mode of ['PerNode', 'Budget'] as const) {
  test(`${mode}: where the DaemonSet is gone and the guards are to be removed, nothing of them stays and a drain ends`, async (t) => {
    const ground = await guarded(t, { mode, onTargetGone: 'Remove', resistDeletion: true })
    ground.remove(DAEMON_SETS, { namespace: 'default', name: 'storage' })
    const left = () => [ground.guardPods(), ground.deployments(), ground.gates()].map(({ length }) => length)
    await ground.until('the guards to be gone', () => left().join() === '0,0,0', 60)
    const drain = ground.drain('n1')
    await ground.until('n1 to be drained', () => drain.isOver(), 30)
    assert.equal(ground.condition('Ready'), 'False TargetGone')
  })
}

/** n1 is drained, and its guard is gone. */
async function drained(t: SimulationContext, spec: Json): Promise<GuardGround> {
  const ground = await guarded(t, spec)
  const drain = ground.drain('n1')
  await ground.until('n1 to be drained', () => drain.isOver(), 30)
  assert.deepEqual([ground.claimed(), ground.slotNodes()], [['n1'], ['n1']])
  return ground
}

const isFree = (ground: GuardGround): boolean => ground.claimed().length + ground.slotNodes().length === 0

for (const mode of ['PerNode', 'Budget'] as const) {
  test(`${mode}: a NodeGuard that is deleted while a node is drained leaves neither a claim nor a slot`, async (t) => {
    const ground = await drained(t, { mode })
    ground.remove(NODE_GUARDS, { namespace: 'default', name: 'guard' })
    await ground.until('the claim and the slot to be given back', () => isFree(ground), 30)
  })

  test(`${mode}: a NodeGuard that changes its group while a node is drained leaves nothing of the old group`, async (t) => {
    const ground = await drained(t, { mode })
    ground.apply(nodeGuard({ mode, group: 'other' }))
    await ground.until('the claim and the slot to be given back', () => isFree(ground), 30)
    ground.cordon('n1', false)
    await ground.until('every node to be guarded', () => ground.condition('Ready') === 'True AllGuarded', 60)
  })

  test(`${mode}: a node that the DaemonSet leaves while it is drained keeps neither a claim nor a slot`, async (t) => {
    const ground = await drained(t, { mode })
    ground.label('n1', 'no')
    await ground.until('the claim and the slot to be given back', () => isFree(ground), 30)
  })
}

const isGateOpen = (ground: GuardGround, node: string): boolean =>
  ground
    .gates()
    .some(
      ({ metadata, spec }) => metadata.annotations?.['evenkeel.dev/node'] === node && (spec as Json).minAvailable !== 1,
    )

test('an edit that makes no sense closes the budget of a node that was granted', async (t) => {
  const ground = await guarded(t, {})
  ground.cordon('n1', true)
  await ground.until('n1 to be granted', () => isGateOpen(ground, 'n1'), 30)
  const clearWhen = 'object.('
  const hold = {
    name: 'a',
    object: { version: 'v1', resource: 'configmaps', namespace: 'default', name: 'a', clearWhen },
  }
  ground.apply(nodeGuard({ holds: [hold] }))
  await ground.until('its budget to be closed', () => !isGateOpen(ground, 'n1'), 30)
  await ground.notWithin(20, () => isGateOpen(ground, 'n1'))
  assert.equal(ground.condition('Stalled'), 'True GuardRefused')
  assert.deepEqual(ground.guarded(), ['n1', 'n2', 'n3'])
})

test('a hold that is no longer clear closes the budget within two seconds, however long after the grant', async (t) => {
  const ground = await guarded(t, { holds: [{ name: 'h', http: { url: 'http://{address}:9500/drain/{node}' } }] })
  for (const afterS of [5, 40]) {
    ground.target = () => ({ kind: 'clear', evidence: 'green' })
    ground.cordon('n1', true)
    await ground.until('n1 to be granted', () => isGateOpen(ground, 'n1'), 60)
    await ground.cluster.time.advance(afterS * 1_000)
    ground.target = () => ({ kind: 'held', evidence: 'red' })
    await ground.until('its budget to be closed', () => !isGateOpen(ground, 'n1'), 2)
    ground.cordon('n1', false)
    await ground.until('n1 to be free', () => isFree(ground), 60)
  }
})

test('the holds of a cordoned node that no NodeGuard guards are not read', async (t) => {
  const ground = await guarded(t, { holds: [{ name: 'h', http: { url: 'http://{address}:9500/drain/{node}' } }] })
  ground.label('n3', 'no')
  await ground.until('n3 to be without a guard', () => ground.guarded().join() === 'n1,n2', 60)
  const asked = new Set<string>()
  ground.target = (node) => {
    asked.add(node)
    return { kind: 'held', evidence: 'red' }
  }
  for (const name of ['n1', 'n3']) ground.cordon(name, true)
  await ground.until('n1 to be held', () => ground.rows()[0] === 'n1 Held HoldStands', 10)
  await ground.cluster.time.advance(10_000)
  assert.deepEqual([...asked], ['n1'])
})

test('a node whose slot another owner has goes before one that asked earlier and has no room', async (t) => {
  const ground = await guarded(t, {})
  ground.holdSlot(0, 'n2')
  ground.cordon('n1', true)
  await ground.until('n1 to wait for room', () => ground.rows()[0] === 'n1 Requested BudgetUsedUp', 30)
  ground.cordon('n2', true)
  // The roll has begun with it.
  ground.annotateNode('n2', 'evenkeel.dev/maintenance', '{"version":2,"claims":[{"owner":"person/alice","id":"a"}]}')
  await ground.until('n2 to be granted', () => isGateOpen(ground, 'n2'), 30)
  assert.equal(isGateOpen(ground, 'n1'), false)
})

test('a slot that the controller left when it moved to another namespace is no slot of ours: it is taken once it is stale', async (t) => {
  const ground = await guarded(t, {})
  ground.holdSlot(0, 'n1')
  const slot = ground.cluster.world.store.get(LEASES, { namespace: 'evenkeel', name: 'evenkeel-slot-0' })
  assert.ok(slot !== undefined)
  const annotations = { ...slot.metadata.annotations, 'evenkeel.dev/lives-by': 'old/evenkeel-controller' }
  ground.cluster.world.store.put(LEASES, {
    ...slot,
    metadata: { ...slot.metadata, annotations },
    spec: { ...(slot.spec as Json), holderIdentity: 'controller/evenkeel-controller/guard/default' },
  })
  ground.cordon('n2', true)
  await ground.until('n2 to be granted', () => isGateOpen(ground, 'n2'), 200)
  assert.deepEqual(ground.slotNodes(), ['n2'])
})

test('in mode Budget a node that drains without a cordon keeps its guard, and says why', async (t) => {
  const ground = await guarded(t, { mode: 'Budget' })
  const node = ground.node('n1')
  const { conditions = [], ...status } = node.status as { readonly conditions?: readonly object[] }
  const draining = { type: 'DrainInProgress', status: 'True' }
  ground.cluster.world.store.put(NODES, { ...node, status: { ...status, conditions: [...conditions, draining] } })
  await ground.until('n1 to say so', () => ground.rows()[0] === 'n1 Requested NotCordoned', 30)
  assert.deepEqual([ground.guarded(), ground.slotNodes(), ground.claimed()], [['n1', 'n2', 'n3'], [], []])
})

test('other nodes do not wait for a node that is gone and was released', async (t) => {
  const ground = await drained(t, {})
  ground.apply(budgetOf(2))
  const second = ground.drain('n2')
  await ground.notWithin(10, () => second.isOver())
  const until = new Date(ground.cluster.time.wallMs() + 600_000).toISOString()
  ground.annotateGuard('evenkeel.dev/guard-releases', [{ node: 'n1', by: 'alice', until }])
  await ground.until('n2 to be drained', () => second.isOver(), 60)
})

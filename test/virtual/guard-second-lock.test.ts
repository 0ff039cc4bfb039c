import assert from 'node:assert/strict'
import type { PodObject } from '../../src/sim/actors/pod-object.ts'
import { NODE_GUARDS, NODES, PODS } from '../../src/sim/world/api-resource.ts'
import { type SimulationContext, simulationTest } from '../support/simulation-test.ts'
import { GuardGround } from '../support/virtual-guard/guard-ground.ts'
import { nodeGuard, storage } from '../support/virtual-guard/guard-manifests.ts'

const test = simulationTest(import.meta.url)

const BUSY = 'example.com/busy'
const SPEC = { resistDeletion: true, holds: [{ name: 'busy', annotation: { key: BUSY } }] }

async function locked(t: SimulationContext, mode: 'PerNode' | 'Budget'): Promise<GuardGround> {
  const ground = await GuardGround.open({ nodes: 3 })
  t.after(() => ground.end())
  ground.begin().onError = (error) => {
    throw error
  }
  ground.apply(storage())
  ground.apply(nodeGuard({ ...SPEC, mode }))
  await ground.until('every node to be guarded', () => ground.condition('Ready') === 'True AllGuarded', 60)
  return ground
}

/** Also those whose containers have ended. */
const allGuards = (ground: GuardGround): readonly PodObject[] =>
  ([...ground.cluster.world.store.all(PODS)] as PodObject[]).filter(
    ({ metadata }) => metadata.labels?.['evenkeel.dev/guard'] === 'guard',
  )

const onN1 = (ground: GuardGround): readonly PodObject[] =>
  allGuards(ground).filter(({ spec }) => spec.nodeName === 'n1')

function deleteGuardOfN1(ground: GuardGround): string {
  const [pod] = onN1(ground)
  assert.ok(pod)
  ground.remove(PODS, { namespace: 'default', name: pod.metadata.name })
  return pod.metadata.uid
}

for (const mode of ['PerNode', 'Budget'] as const) {
  test(`${mode}: a guard that is deleted from a held node stays, and goes once the hold is clear`, async (t) => {
    const ground = await locked(t, mode)
    ground.annotateNode('n1', BUSY, 'yes')
    ground.cordon('n1', true)
    await ground.until('n1 to be held', () => ground.rows()[0] === 'n1 Held HoldStands', 30)
    const uid = deleteGuardOfN1(ground)
    await ground.notWithin(60, () => onN1(ground).every(({ metadata }) => metadata.uid !== uid))
    assert.deepEqual(ground.rows(), ['n1 Held HoldStands'])
    ground.annotateNode('n1', BUSY, undefined)
    await ground.until('the guard to be gone', () => onN1(ground).length === 0, 30)
    assert.deepEqual([ground.claimed(), ground.slotNodes()], [['n1'], ['n1']])
    ground.cordon('n1', false)
    await ground.until('n1 to be guarded again', () => ground.condition('Ready') === 'True AllGuarded', 60)
  })

  test(`${mode}: a guard that is deleted from a node that is not drained is replaced`, async (t) => {
    const ground = await locked(t, mode)
    const uid = deleteGuardOfN1(ground)
    const isReplaced = (): boolean => {
      const pods = onN1(ground)
      return pods.length === 1 && pods[0]?.metadata.uid !== uid && ground.guarded().includes('n1')
    }
    await ground.until('another guard on n1', isReplaced, 60)
    await ground.until('nothing to be left over', () => ground.claimed().length + ground.slotNodes().length === 0, 60)
  })

  test(`${mode}: a new template replaces the guards of all nodes, one node at a time`, async (t) => {
    const ground = await locked(t, mode)
    const before = new Set(ground.guardPods().map(({ metadata }) => metadata.uid))
    ground.apply(nodeGuard({ ...SPEC, mode, priorityClassName: 'system-node-critical' }))
    const isOver = (): boolean =>
      allGuards(ground).length === 3 &&
      ground.guarded().length === 3 &&
      allGuards(ground).every(({ metadata }) => !before.has(metadata.uid))
    await ground.until('other guards on all nodes', isOver, 300)
  })

  test(`${mode}: a NodeGuard that is deleted takes its guards with it, those that resist too`, async (t) => {
    const ground = await locked(t, mode)
    ground.annotateNode('n1', BUSY, 'yes')
    ground.cordon('n1', true)
    deleteGuardOfN1(ground)
    await ground.notWithin(20, () => onN1(ground).length === 0)
    ground.remove(NODE_GUARDS, { namespace: 'default', name: 'guard' })
    await ground.until('no guard to be left', () => allGuards(ground).length === 0, 60)
  })

  test(`${mode}: a NodeGuard that is deleted in the foreground takes its guards with it, and then goes`, async (t) => {
    const ground = await locked(t, mode)
    ground.annotateNode('n1', BUSY, 'yes')
    ground.cordon('n1', true)
    deleteGuardOfN1(ground)
    await ground.notWithin(20, () => onN1(ground).length === 0)
    ground.remove(NODE_GUARDS, { namespace: 'default', name: 'guard' }, { propagation: 'Foreground' })
    await ground.until('no guard to be left', () => allGuards(ground).length === 0, 60)
  })

  test(`${mode}: the guard of a node that is gone does not stay`, async (t) => {
    const ground = await locked(t, mode)
    ground.remove(NODES, { name: 'n1' })
    await ground.until('its guard to be gone', () => onN1(ground).length === 0, 120)
    await ground.until('the others to be guarded', () => ground.condition('Ready') === 'True AllGuarded', 60)
  })
}

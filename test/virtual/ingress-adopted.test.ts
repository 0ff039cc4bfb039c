import assert from 'node:assert/strict'
import {
  CONTROLLER_REVISIONS,
  DEPLOYMENTS,
  DISRUPTION_BUDGETS,
  INGRESS_DAEMON_SETS,
} from '../../src/sim/world/api-resource.ts'
import { type SimulationContext, simulationTest } from '../support/simulation-test.ts'
import { FullDisk } from '../support/virtual-ingress/full-disk.ts'
import { IngressGround } from '../support/virtual-ingress/ingress-ground.ts'
import { anIngressManifest } from '../support/virtual-ingress/ingress-manifests.ts'

const test = simulationTest(import.meta.url)

/** Its pods take 15 s to end. */
const manifest = (version: string): object =>
  JSON.parse(JSON.stringify(anIngressManifest(version)).replace('"1s"', '"15s"'))

const isReady = (ground: IngressGround): boolean => ground.condition('Ready') === 'True AllInService'

/** The object was deleted with `--cascade=orphan`, and made again: its pods bear the UID of the first one for good. */
async function adopted(t: SimulationContext): Promise<IngressGround> {
  const ground = await IngressGround.open({ nodes: 3 })
  t.after(() => ground.end())
  const process = ground.begin()
  ground.apply(manifest('v1'))
  await ground.until('it to be Ready', () => isReady(ground), 120)
  process.stop()
  const { store } = ground.cluster.world
  for (const kind of [DEPLOYMENTS, DISRUPTION_BUDGETS, CONTROLLER_REVISIONS])
    for (const one of [...store.all(kind)])
      store.put(kind, { ...one, metadata: { ...one.metadata, ownerReferences: [] } })
  const object = store.get(INGRESS_DAEMON_SETS, { namespace: 'default', name: 'web' })
  assert.ok(object)
  store.put(INGRESS_DAEMON_SETS, { ...object, metadata: { ...object.metadata, finalizers: [] } })
  ground.remove()
  ground.apply(manifest('v1'))
  ground.begin('controller 2')
  await ground.until('it to be Ready again', () => isReady(ground), 120)
  return ground
}

test('pods of an adopted Deployment are seen: a kubelet that rejects them is noticed, and they are not made without end', async (t) => {
  const ground = await adopted(t)
  const disk = new FullDisk(ground, 'n1')
  disk.fill()
  const isStuck = (): boolean => JSON.stringify(ground.status().nodes).includes('PodsRejected')
  await ground.until('n1 to be stuck', isStuck, 30)
  assert.ok(disk.rejected < 300, `${disk.rejected} pods`)
})

test('a node with an adopted Deployment comes back only once its old pods are gone', async (t) => {
  const ground = await adopted(t)
  ground.apply(manifest('v2'))
  let before: readonly string[] = []
  await ground.until(
    'every node to have v2',
    () => {
      const claimed = ground.claimed()
      for (const node of before)
        if (!claimed.includes(node))
          assert.ok(!ground.podLines().some((line) => line.startsWith(`${node} v1`)), `an old pod on ${node}`)
      before = claimed
      return ground.podLines().every((line) => line.endsWith(' v2')) && isReady(ground)
    },
    600,
  )
})

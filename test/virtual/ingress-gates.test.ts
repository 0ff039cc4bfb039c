import assert from 'node:assert/strict'
import { DISRUPTION_BUDGETS } from '../../src/sim/world/api-resource.ts'
import { type SimulationContext, simulationTest } from '../support/simulation-test.ts'
import { IngressGround } from '../support/virtual-ingress/ingress-ground.ts'
import { anIngressManifest, type Json } from '../support/virtual-ingress/ingress-manifests.ts'

const test = simulationTest(import.meta.url)

type Gate = ReturnType<IngressGround['gates']>[number]

async function served(t: SimulationContext): Promise<IngressGround> {
  const ground = await IngressGround.open({ nodes: 2 })
  t.after(() => ground.end())
  ground.begin()
  ground.apply(anIngressManifest('v1'))
  await ground.until(
    'all nodes to serve, with their gates',
    () => ground.condition('Ready') === 'True AllInService' && ground.gates().length === 2,
    60,
  )
  return ground
}

const gateOf = (ground: IngressGround, node: string): Gate | undefined =>
  ground.gates().find(({ metadata }) => metadata.annotations?.['evenkeel.dev/node'] === node)

function changed(ground: IngressGround, node: string, change: (gate: Gate) => Gate): Gate {
  const gate = gateOf(ground, node)
  assert.ok(gate)
  ground.cluster.world.store.put(DISRUPTION_BUDGETS, change(gate))
  return gate
}

const withMetadata = (gate: Gate, metadata: Json): Gate =>
  ({ ...gate, metadata: { ...gate.metadata, ...metadata } }) as Gate

const rowOf = (ground: IngressGround, node: string) =>
  (ground.status().nodes as readonly { name: string; reason?: string; message?: string }[]).find(
    ({ name }) => name === node,
  )

const specOf = (gate: Gate | undefined): Json => gate?.spec as Json

test('a gate that lost its owner is adopted, selects the pods of its node again, and opens for a drain', async (t) => {
  const ground = await served(t)
  const old = { 'evenkeel.dev/ingress-uid': 'of-the-first', 'evenkeel.dev/ingress-node': 'n2' }
  const { spec, metadata } = changed(ground, 'n2', (gate) => ({
    ...withMetadata(gate, {
      ownerReferences: [],
      labels: { ...gate.metadata.labels, 'evenkeel.dev/ingress-uid': 'of-the-first' },
    }),
    spec: { ...(gate.spec as Json), selector: { matchLabels: old } },
  }))
  const owners = JSON.stringify(metadata.ownerReferences)
  const isAdopted = () => {
    const gate = gateOf(ground, 'n2')
    return (
      JSON.stringify(gate?.metadata.ownerReferences) === owners && JSON.stringify(specOf(gate)) === JSON.stringify(spec)
    )
  }
  ground.cordon('n2', true)
  await ground.until('the gate to open', () => specOf(gateOf(ground, 'n2')).maxUnavailable !== 0, 60)
  ground.cordon('n2', false)
  await ground.until('the gate to be closed, and ours', isAdopted, 60)
})

test('a gate of others is never written to, and its node waits for it and says so', async (t) => {
  const ground = await served(t)
  changed(ground, 'n2', (gate) => withMetadata(gate, { ownerReferences: [], labels: {} }))
  await ground.until('n2 to be listed', () => rowOf(ground, 'n2')?.reason === 'NameTaken', 90)
  assert.match(
    rowOf(ground, 'n2')?.message ?? '',
    /^the PodDisruptionBudget of n2 cannot be created: web-\w+ has no controller, and not the label .*; rename or remove the PodDisruptionBudget web-\w+$/,
  )
  ground.apply(anIngressManifest('v2'))
  await ground.until(
    'n1 to have the other template',
    () => ground.podLines().filter((line) => line === 'n1 v2').length === 2,
    120,
  )
  const foreign = gateOf(ground, 'n2')
  assert.deepEqual([foreign?.metadata.labels, foreign?.metadata.ownerReferences], [{}, []])
  ground.cluster.world.store.remove(DISRUPTION_BUDGETS, {
    namespace: 'default',
    name: foreign?.metadata.name ?? '',
  })
  await ground.until(
    'n2 to have a gate of its own, and its turn',
    () => {
      const isOurs = (gateOf(ground, 'n2')?.metadata.ownerReferences ?? []).length === 1
      return isOurs && ground.podLines().every((line) => line.endsWith(' v2')) && rowOf(ground, 'n2') === undefined
    },
    180,
  )
})

test('a gate of others leads to no write for as long as it is there', async (t) => {
  const ground = await served(t)
  changed(ground, 'n2', (gate) => withMetadata(gate, { ownerReferences: [], labels: {} }))
  await ground.until('n2 to be listed', () => rowOf(ground, 'n2')?.reason === 'NameTaken', 90)
  await ground.cluster.time.advance(5_000)
  const before = ground.ownWrites()
  for (let second = 0; second < 100; second += 1) {
    await ground.cluster.time.advance(1_000)
    assert.equal(rowOf(ground, 'n2')?.reason, 'NameTaken', `after ${second} s`)
  }
  assert.equal(ground.ownWrites(), before)
})

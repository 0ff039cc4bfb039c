import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DAEMON_SETS, DEPLOYMENTS, DISRUPTION_BUDGETS, NODES } from '../../src/sim/world/api-resource.ts'
import { readManifests, shipped } from '../support/agent-chart.ts'
import { boundTo, grantedBy } from '../support/granted-rights.ts'
import { covers, isGranted, requestedBy } from '../support/requested-rights.ts'
import { IngressGround } from '../support/virtual-ingress/ingress-ground.ts'
import { anIngressManifest } from '../support/virtual-ingress/ingress-manifests.ts'

const manifests = readManifests(shipped('evenkeel.yaml'))
const bound = boundTo(manifests, 'ServiceAccount evenkeel/evenkeel-agent-controller')
const roles = manifests.filter(({ kind, metadata }) =>
  bound.includes(`${kind} ${metadata.name} in ${metadata.namespace ?? 'the cluster'}`),
)

async function servedBy(ground: IngressGround, version: string): Promise<void> {
  await ground.until(version, () => {
    const lines = ground.podLines()
    return (
      lines.length === 4 &&
      lines.every((line) => line.endsWith(` ${version}`)) &&
      ground.condition('Ready') === 'True AllInService'
    )
  })
}

const isOpen = (gate: object): boolean =>
  (gate as { readonly spec?: { readonly maxUnavailable?: unknown } }).spec?.maxUnavailable !== 0

/** A name that is taken, a health checker in its place, another image of it, and its end. */
async function aChecker(ground: IngressGround): Promise<void> {
  const { store } = ground.cluster.world
  const at = { namespace: 'default', name: 'web-hc' }
  const found = () => store.get(DAEMON_SETS, at)
  const template = { metadata: { labels: { app: 'x' } }, spec: { nodeName: 'nowhere', containers: [] } }
  const spec = { selector: { matchLabels: { app: 'x' } }, template }
  ground.apply({ apiVersion: 'apps/v1', kind: 'DaemonSet', metadata: at, spec })
  const checked = (image: string | null) =>
    ground.apply(anIngressManifest('v1', { healthCheckNodePorts: [30_100], healthChecker: { image } }))
  checked('evenkeel:1')
  await ground.until('the name to be found taken', () => ground.events().some((line) => line.startsWith('NameTaken')))
  store.remove(DAEMON_SETS, at)
  for (const image of ['evenkeel:1', 'evenkeel:2']) {
    checked(image)
    await ground.until(image, () => JSON.stringify(found() ?? {}).includes(image))
  }
  checked(null)
  await ground.until('no health checker', () => found() === undefined)
}

/** A gate whose name is taken. */
async function aGateOfOthers(ground: IngressGround): Promise<void> {
  const { store } = ground.cluster.world
  const [gate] = ground.gates()
  assert.ok(gate)
  store.put(DISRUPTION_BUDGETS, { ...gate, metadata: { ...gate.metadata, ownerReferences: [], labels: {} } })
  await ground.until('the gate to be found taken', () => JSON.stringify(ground.status().nodes).includes('NameTaken'))
  store.remove(DISRUPTION_BUDGETS, { namespace: 'default', name: gate.metadata.name })
}

/** Rollouts there and back, a drain, a Deployment without its owner, a gate of others, a Node that goes, and the end of the object. */
async function aLife(ground: IngressGround): Promise<void> {
  const { store } = ground.cluster.world
  // First, while no Event is held back for their number.
  await aChecker(ground)
  for (const version of ['v1', 'v2', 'v1', 'v3']) {
    ground.apply(anIngressManifest(version, { revisionHistoryLimit: 1 }))
    await servedBy(ground, version)
  }
  ground.cordon('n2', true)
  await ground.until('the gate of n2 to open', () => ground.gates().some(isOpen))
  ground.cordon('n2', false)
  await servedBy(ground, 'v3')
  const [orphan] = ground.deployments()
  assert.ok(orphan)
  store.put(DEPLOYMENTS, { ...orphan, metadata: { ...orphan.metadata, ownerReferences: [] } })
  await ground.until('each Deployment to have an owner', () =>
    ground.deployments().every(({ metadata }) => (metadata.ownerReferences ?? []).length > 0),
  )
  await aGateOfOthers(ground)
  store.remove(NODES, { name: 'n2' })
  await ground.until('what belonged to n2 to be gone', () => ground.deployments().length + ground.gates().length === 2)
  ground.remove()
  await ground.until('the object to be gone', () => ground.object() === undefined)
  await ground.until('the slots to be free', () => ground.slotHolders().every((holder) => holder === ''), 60)
}

test('a controller of IngressDaemonSets asks for nothing that is not granted, and for each right that it has for them', async () => {
  const ground = await IngressGround.open({ nodes: 2 })
  const asked = new Set<string>()
  ground.begin('controller 1', {
    passageOf: (request) => {
      for (const right of requestedBy(request)) asked.add(right)
      return { kind: 'passes' }
    },
  })
  await aLife(ground).finally(() => ground.end())
  assert.deepEqual(
    [...asked].filter((right) => !isGranted(right, grantedBy(roles))),
    [],
  )
  const ofIngress = roles.filter(({ metadata }) => metadata.name.endsWith('-ingress'))
  assert.ok(ofIngress.length === 2)
  assert.deepEqual(
    grantedBy(ofIngress).filter((right) => ![...asked].some((one) => covers(right, one))),
    [],
  )
})

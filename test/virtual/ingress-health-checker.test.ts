import assert from 'node:assert/strict'
import { type HealthOrder, parseHealthOrder } from '../../src/service/model/health-order.ts'
import type { ApiObject } from '../../src/sim/world/api-object.ts'
import { DAEMON_SETS } from '../../src/sim/world/api-resource.ts'
import { type SimulationContext, simulationTest } from '../support/simulation-test.ts'
import { IngressGround } from '../support/virtual-ingress/ingress-ground.ts'
import { anIngressManifest, type Json } from '../support/virtual-ingress/ingress-manifests.ts'

const test = simulationTest(import.meta.url)

const PORTS = { healthCheckNodePorts: [30_100] }
const CHECKER = { ...PORTS, healthChecker: { image: 'evenkeel:1' } }
const NAME = { namespace: 'default', name: 'web-hc' }

interface DaemonSet extends ApiObject {
  readonly spec: Json & { readonly template: { readonly spec: { readonly containers: readonly Json[] } } }
  readonly status?: { readonly numberAvailable?: number }
}

async function begun(t: SimulationContext, spec: Json) {
  const ground = await IngressGround.open({ nodes: 3 })
  t.after(() => ground.end())
  const { store } = ground.cluster.world
  const daemonSet = () => store.get(DAEMON_SETS, NAME) as DaemonSet | undefined
  const orders = (): readonly HealthOrder[] =>
    ground.deployments().flatMap(({ metadata }) => {
      const order = parseHealthOrder(metadata.annotations?.['evenkeel.dev/health-check'] ?? '')
      return typeof order === 'string' ? [] : order
    })
  const apply = (version: string, change: Json): void => ground.apply(anIngressManifest(version, change))
  const inService = (version = 'v1'): Promise<void> =>
    ground.until(`${version} in service`, () => {
      const lines = ground.podLines().filter((line) => line.includes(` ${version}`))
      return lines.length === 6 && ground.condition('Ready') === 'True AllInService'
    })
  ground.begin()
  apply('v1', spec)
  await inService()
  const answeredBy = (wanted: 'pods' | 'agents'): Promise<void> =>
    ground.until(`the ${wanted} to answer`, () => orders().every(({ by }) => (by ?? 'agents') === wanted), 120)
  const available = (): number => daemonSet()?.status?.numberAvailable ?? 0
  return { ground, store, daemonSet, available, orders, apply, inService, answeredBy }
}

test('an object that names a health checker has its pods answer from the first moment on, and is rolled out as before', async (t) => {
  const { ground, daemonSet, available, orders, apply, inService } = await begun(t, CHECKER)
  assert.deepEqual(
    orders().map(({ by, ports }) => [by, ports]),
    Array.from({ length: 3 }, () => ['pods', [30_100]]),
  )
  const said =
    'HealthCheckersMissing: not all pods of DaemonSet web-hc, which answer health checks, are available with the current template'
  await ground.until('an Event', () => ground.events().includes(said))
  await ground.until('the pods of the health checker to be available', () => available() === 3)
  const [owner] = daemonSet()?.metadata.ownerReferences ?? []
  const { metadata } = ground.object() as unknown as ApiObject
  assert.deepEqual([owner?.name, owner?.uid], ['web', metadata.uid])
  const { generation } = daemonSet()?.metadata ?? {}
  apply('v2', CHECKER)
  await inService('v2')
  await ground.cluster.time.advance(300_000)
  assert.equal(daemonSet()?.metadata.generation, generation, 'a rollout of the object replaces no health checker')
  apply('v2', { ...CHECKER, healthCheckNodePorts: [30_100, 30_101] })
  await ground.until('the second port', () => orders().every(({ ports }) => ports.length === 2))
  assert.equal(daemonSet()?.metadata.generation, generation, 'and no port does')
})

test('agents answer until all pods of a health checker that is added are available, and from then on when it is removed', async (t) => {
  const { ground, daemonSet, available, orders, apply, answeredBy } = await begun(t, PORTS)
  assert.deepEqual([daemonSet(), orders().map(({ by }) => by)], [undefined, [undefined, undefined, undefined]])
  apply('v1', CHECKER)
  let early = 0
  await ground.until('a Deployment to be answered for by pods', () => {
    const isHandedOver = orders().some(({ by }) => by === 'pods')
    if (isHandedOver && available() < 3) early += 1
    return isHandedOver
  })
  await answeredBy('pods')
  assert.equal(early, 0)
  apply('v1', { ...PORTS, healthChecker: null })
  await ground.until('no DaemonSet', () => {
    if (daemonSet() !== undefined) return false
    assert.ok(orders().every(({ by }) => by === undefined))
    return true
  })
  assert.equal(ground.condition('Ready'), 'True AllInService')
})

test('without health ports there is no health checker', async (t) => {
  const { ground, daemonSet, apply } = await begun(t, CHECKER)
  await ground.until('the DaemonSet', () => daemonSet() !== undefined)
  apply('v1', { ...CHECKER, healthCheckNodePorts: [] })
  await ground.until('no DaemonSet', () => daemonSet() === undefined)
})

test('what others write to the DaemonSet is put right, another image replaces its template, and an orphan is adopted', async (t) => {
  const { ground, store, daemonSet, apply } = await begun(t, CHECKER)
  const there = (): DaemonSet => daemonSet() ?? assert.fail('there is no DaemonSet')
  await ground.until('the DaemonSet', () => daemonSet() !== undefined)
  const { spec, metadata } = there()
  store.put(DAEMON_SETS, { ...there(), spec: { ...spec, updateStrategy: { type: 'OnDelete' }, minReadySeconds: 1 } })
  await ground.until('its strategy to be put right', () => {
    const { updateStrategy, minReadySeconds } = there().spec
    return JSON.stringify([updateStrategy, minReadySeconds]) === JSON.stringify([spec.updateStrategy, 11])
  })
  apply('v1', { ...CHECKER, healthChecker: { image: 'evenkeel:2', imagePullPolicy: 'Always' } })
  await ground.until('the other image', () => there().spec.template.spec.containers[0]?.image === 'evenkeel:2')
  store.put(DAEMON_SETS, { ...there(), metadata: { ...there().metadata, ownerReferences: [] } })
  await ground.until('it to have an owner', () => (there().metadata.ownerReferences ?? []).length === 1)
  assert.equal(there().metadata.uid, metadata.uid)
})

test('a DaemonSet of others that has the name is never written to, and the object says so', async (t) => {
  const ground = await IngressGround.open({ nodes: 3 })
  t.after(() => ground.end())
  const template = { metadata: { labels: { app: 'x' } }, spec: { nodeName: 'nowhere', containers: [] } }
  ground.apply({
    ...{ apiVersion: 'apps/v1', kind: 'DaemonSet', metadata: NAME },
    spec: { selector: { matchLabels: { app: 'x' } }, template },
  })
  const { store } = ground.cluster.world
  const theirs = () => store.get(DAEMON_SETS, NAME)
  const before = theirs()?.spec
  ground.begin()
  ground.apply(anIngressManifest('v1', CHECKER))
  const said =
    /NameTaken: the DaemonSet that answers health checks cannot be created: web-hc has no controller, and not the label/
  await ground.until('an Event', () => ground.events().some((line) => said.test(line)))
  await ground.until('the pods all the same', () => ground.condition('Ready') === 'True AllInService')
  assert.deepEqual([theirs()?.spec, theirs()?.metadata.ownerReferences], [before, undefined])
  const found = theirs()
  assert.ok(found)
  store.remove(DAEMON_SETS, NAME)
  await ground.until('its own DaemonSet', () => (theirs()?.metadata.ownerReferences ?? []).length === 1)
})

import assert from 'node:assert/strict'
import { INGRESS_DAEMON_SETS } from '../../src/sim/world/api-resource.ts'
import { deleteObject } from '../../src/sim/world/delete-object.ts'
import { type SimulationContext, simulationTest } from '../support/simulation-test.ts'
import { IngressGround } from '../support/virtual-ingress/ingress-ground.ts'
import { anIngressManifest } from '../support/virtual-ingress/ingress-manifests.ts'

const test = simulationTest(import.meta.url)

type Json = Readonly<Record<string, unknown>>

async function aGround(t: SimulationContext): Promise<IngressGround> {
  const ground = await IngressGround.open({ nodes: 2 })
  t.after(() => ground.end())
  ground.begin()
  return ground
}

/** An object with pods of its own beside `web`. */
const named = (name: string, spec: Json = {}): object => {
  const { spec: of } = anIngressManifest('v1') as { readonly spec: { readonly template: { readonly spec: object } } }
  const template = { ...of.template, metadata: { labels: { app: name } } }
  return anIngressManifest('v1', { selector: { matchLabels: { app: name } }, template, ...spec }, { name })
}

function condition(ground: IngressGround, name: string, type = 'Stalled'): string {
  const object = ground.cluster.world.store.get(INGRESS_DAEMON_SETS, { namespace: 'default', name })
  const { conditions = [] } = (object?.status ?? {}) as { readonly conditions?: readonly Json[] }
  const found = conditions.find((one) => one.type === type)
  return found === undefined ? 'absent' : `${found.status} ${found.reason} ${found.message}`
}

/** Its nodes are all in service. */
const isReady = (ground: IngressGround, name: string): boolean =>
  condition(ground, name, 'Ready').startsWith('True') && podsOf(ground, name) === 4
const podsOf = (ground: IngressGround, name: string): number =>
  ground.pods().filter(({ metadata }) => metadata.labels?.app === name).length

const PORT = { healthCheckNodePorts: [10_080] }
const SAYS =
  /^True IngressRefused spec\.healthCheckNodePorts\[0\]: IngressDaemonSet default\/api answers health checks at port 10080 of the same nodes; choose another port/

test('without any webhook the later of two objects with one port is refused, and is carried once the first is gone', async (t) => {
  const ground = await aGround(t)
  ground.apply(named('api', PORT))
  await ground.until('the first to be carried', () => isReady(ground, 'api'))
  ground.apply(named('web', PORT))
  await ground.until('the second to be refused', () => condition(ground, 'web').startsWith('True'))
  assert.match(condition(ground, 'web'), SAYS)
  await ground.cluster.time.advance(60_000)
  assert.deepEqual([podsOf(ground, 'web'), podsOf(ground, 'api'), isReady(ground, 'api')], [0, 4, true])
  const old = ground.cluster.world.store.get(INGRESS_DAEMON_SETS, { namespace: 'default', name: 'api' })
  assert.ok(old)
  deleteObject(ground.cluster.world, { resource: INGRESS_DAEMON_SETS, old, options: {} })
  await ground.until('the second to be carried', () => isReady(ground, 'web'))
})

for (const [title, free] of [
  [
    'is gone',
    (ground: IngressGround) => {
      const old = ground.cluster.world.store.get(INGRESS_DAEMON_SETS, { namespace: 'default', name: 'api' })
      if (old !== undefined) deleteObject(ground.cluster.world, { resource: INGRESS_DAEMON_SETS, old, options: {} })
    },
  ],
  ['has another port', (ground: IngressGround) => ground.apply(named('api', { healthCheckNodePorts: [10_081] }))],
] as const)
  test(`an object that is refused for the port of another one is carried at once when that ${title}`, async (t) => {
    const ground = await aGround(t)
    ground.apply(named('api', PORT))
    await ground.until('the first to be carried', () => isReady(ground, 'api'))
    ground.apply(named('web', PORT))
    await ground.until('the second to be refused', () => condition(ground, 'web').startsWith('True'))
    await ground.cluster.time.advance(5_000)
    free(ground)
    await ground.until('the second to be carried', () => podsOf(ground, 'web') > 0, 20)
  })

test('an object that runs and is changed to the port of another one gets no further template, and both keep their pods', async (t) => {
  const ground = await aGround(t)
  ground.apply(named('web', { healthCheckNodePorts: [10_081] }))
  ground.apply(named('api', PORT))
  await ground.until('both to be carried', () => ['web', 'api'].every((name) => isReady(ground, name)))
  ground.apply(anIngressManifest('v2', PORT))
  await ground.until('the change to be held', () => condition(ground, 'web').startsWith('True IngressConflict'))
  await ground.cluster.time.advance(60_000)
  assert.deepEqual([podsOf(ground, 'web'), podsOf(ground, 'api'), ground.claimed()], [4, 4, []])
  assert.ok(isReady(ground, 'api'))
  assert.ok(ground.podLines().every((line) => line.endsWith(' v1')))
  const warned = ground.events().filter((event) => event.startsWith('IngressConflict: '))
  assert.equal(warned.length, 1, warned.join('\n'))
  ground.apply(anIngressManifest('v2', { healthCheckNodePorts: [10_082] }))
  await ground.until(
    'the rollout to go on',
    () => ground.podLines().filter((line) => line.endsWith(' v2')).length === 4,
  )
})

test('a Service that takes the port later, and a budget of others, are reported by Events and stop nothing', async (t) => {
  const ground = await aGround(t)
  ground.apply(anIngressManifest('v1', { healthCheckNodePorts: [30_999] }))
  await ground.until('it to be carried', () => isReady(ground, 'web'))
  await ground.cluster.time.advance(2_000)
  ground.apply({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { namespace: 'default', name: 'late' },
    spec: { type: 'NodePort', selector: { app: 'late' }, ports: [{ port: 80, nodePort: 30_999 }] },
  })
  ground.apply({
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { namespace: 'default', name: 'old' },
    spec: { maxUnavailable: 1, selector: { matchLabels: { app: 'web' } } },
  })
  const doubts = (): readonly string[] => ground.events().filter((event) => event.startsWith('IngressDoubtful: '))
  await ground.until('the Events', () => doubts().length === 3)
  assert.ok(doubts().some((event) => event.includes('port 30999 is the nodePort of Service default/late')))
  assert.ok(doubts().some((event) => event.includes('PodDisruptionBudget default/old selects these pods')))
  assert.ok(doubts().some((event) => event.includes('30999 is one of the ports that Kubernetes gives to Services')))
  const before = ground.ownWrites()
  await ground.cluster.time.advance(120_000)
  assert.equal(ground.ownWrites(), before)
  ground.apply(anIngressManifest('v2', { healthCheckNodePorts: [30_999] }))
  await ground.until('the rollout', () => ground.podLines().filter((line) => line.endsWith(' v2')).length === 4)
})

interface Stored {
  readonly spec: { readonly rollbackTo?: object; readonly template: Json }
}

const storedOf = (ground: IngressGround, name: string): Stored =>
  ground.cluster.world.store.get(INGRESS_DAEMON_SETS, { namespace: 'default', name }) as unknown as Stored

/** `web` as it was, and its pods bind a port of the node. */
function binding(hostPort: number, labels: Json = { app: 'web' }, spec: Json = {}): object {
  const { spec: of } = anIngressManifest('v1') as { readonly spec: { readonly template: { readonly spec: Json } } }
  const [container] = of.template.spec.containers as readonly Json[]
  const containers = [{ ...container, ports: [{ containerPort: 8_080, hostPort }] }]
  return anIngressManifest('v1', {
    podsPerNode: 1,
    template: { metadata: { labels }, spec: { ...of.template.spec, containers } },
    ...spec,
  })
}

test('an object that is refused goes back to a template that is right, where a person asks for it', async (t) => {
  const ground = await aGround(t)
  ground.apply(named('api', PORT))
  const isCarried = (): boolean => condition(ground, 'web', 'Ready').startsWith('True') && podsOf(ground, 'web') === 2
  ground.apply(anIngressManifest('v1', { podsPerNode: 1 }))
  await ground.until('both to be carried', () => isReady(ground, 'api') && isCarried())
  // Of its own: its selector does not select its pods.
  ground.apply(binding(10_090, { app: 'other' }))
  await ground.until('it to be refused', () => condition(ground, 'web').startsWith('True IngressRefused'))
  // Then beside another one.
  ground.apply(binding(10_080))
  const beside =
    /^True IngressRefused spec\.template\.spec\.containers: IngressDaemonSet default\/api answers health checks/
  await ground.until('it to be refused for that', () => beside.test(condition(ground, 'web')))
  ground.apply(binding(10_080, undefined, { rollbackTo: { revision: 9 } }))
  await ground.until('it to say why not', () => /web has no revision 9/.test(condition(ground, 'web')))
  assert.deepEqual(storedOf(ground, 'web').spec.rollbackTo, { revision: 9 })
  ground.apply(binding(10_080, undefined, { rollbackTo: { revision: 1 } }))
  await ground.until('it to be carried', () => isCarried() && condition(ground, 'web').startsWith('False'))
  assert.equal(storedOf(ground, 'web').spec.rollbackTo, undefined)
  assert.ok(!JSON.stringify(storedOf(ground, 'web').spec.template).includes('hostPort'))
})

const aService = (name: string, nodePort: number): object => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { namespace: 'default', name },
  spec: { type: 'NodePort', selector: { app: name }, ports: [{ port: 80, nodePort }] },
})
const allPods: object = {
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { namespace: 'default', name: 'old' },
  spec: { maxUnavailable: 1, selector: {} },
}
const rolling = (more: Json, spec: Json = {}): object => {
  const { spec: of } = anIngressManifest('v1') as { readonly spec: { readonly updateStrategy: Json } }
  const rollingUpdate = { ...(of.updateStrategy.rollingUpdate as Json), ...more }
  return anIngressManifest('v1', { updateStrategy: { ...of.updateStrategy, rollingUpdate }, ...spec })
}
/** `web` with one more label on its pods. */
const labelled = (spec: Json = {}): object => {
  const { spec: of } = anIngressManifest('v1') as { readonly spec: { readonly template: Json } }
  const template = { ...of.template, metadata: { labels: { app: 'web', shop: 'a' } } }
  return anIngressManifest('v1', { template, ...spec })
}
/** `api`, whose selector selects that label. */
const selectingShop: object = (() => {
  const { spec: of } = labelled() as { readonly spec: { readonly template: Json } }
  const template = { ...of.template, metadata: { labels: { app: 'api', shop: 'a' } } }
  return anIngressManifest('v1', { selector: { matchLabels: { shop: 'a' } }, template }, { name: 'api' })
})()
const inFirstGroup = (object: object): object => ({
  ...object,
  apiVersion: 'ingressdaemonsets.mumoshu.github.io/v1alpha1',
})
const IN_FORCE = anIngressManifest('v1', { healthCheckNodePorts: [10_081] })
const FREE_PORT = binding(10_091)

/** What the API server cannot see, or only warns of: `before` is there and carried, and then comes `change`. */
const FINDINGS: readonly {
  readonly title: string
  readonly before?: readonly object[]
  readonly change: object
  readonly condition: `${'Stalled' | 'Doubtful'} ${'IngressRefused' | 'IngressConflict' | 'IngressDoubtful'}`
  readonly says: RegExp
}[] = [
  {
    title: 'a new object with the health port of another one',
    before: [named('api', PORT)],
    change: anIngressManifest('v1', PORT),
    condition: 'Stalled IngressRefused',
    says: /spec\.healthCheckNodePorts\[0\]: IngressDaemonSet default\/api answers health checks at port 10080/,
  },
  {
    title: 'a new object with a hostPort that is the health port of another one',
    before: [named('api', PORT)],
    change: binding(10_080),
    condition: 'Stalled IngressRefused',
    says: /spec\.template\.spec\.containers: IngressDaemonSet default\/api answers health checks at port 10080/,
  },
  {
    title: 'a new object with the name of one of the other group',
    before: [inFirstGroup(named('web'))],
    change: anIngressManifest('v1'),
    condition: 'Stalled IngressRefused',
    says: /metadata\.name: ingressdaemonsets\.mumoshu\.github\.io has an IngressDaemonSet default\/web as well/,
  },
  {
    title: 'a new object with a health port that is the nodePort of a Service',
    before: [aService('lb', 30_999)],
    change: anIngressManifest('v1', { healthCheckNodePorts: [30_999] }),
    condition: 'Stalled IngressRefused',
    says: /spec\.healthCheckNodePorts\[0\]: port 30999 is the nodePort of Service default\/lb/,
  },
  {
    title: 'a new object that contradicts itself, where no rule of the API server sees it',
    change: rolling({ maxDegradedNodes: 1 }),
    condition: 'Stalled IngressRefused',
    says: /maxUnavailableNodes and maxDegradedNodes are both set/,
  },
  {
    title: 'a health port that is moved to that of another object',
    before: [IN_FORCE, named('api', PORT)],
    change: anIngressManifest('v1', PORT),
    condition: 'Stalled IngressConflict',
    says: /spec\.healthCheckNodePorts\[0\]: IngressDaemonSet default\/api answers health checks at port 10080/,
  },
  {
    title: 'a hostPort that is moved to the health port of another object',
    before: [FREE_PORT, named('api', PORT)],
    change: binding(10_080),
    condition: 'Stalled IngressConflict',
    says: /spec\.template\.spec\.containers: IngressDaemonSet default\/api answers health checks at port 10080/,
  },
  {
    title: 'a health port that is moved to the port of an older Service',
    before: [aService('lb', 30_999), IN_FORCE],
    change: anIngressManifest('v1', { healthCheckNodePorts: [30_999] }),
    condition: 'Stalled IngressConflict',
    says: /spec\.healthCheckNodePorts\[0\]: port 30999 is the nodePort of Service default\/lb/,
  },
  {
    title: 'a health port that is moved to the port of a younger Service',
    before: [IN_FORCE, aService('late', 30_999)],
    change: anIngressManifest('v1', { healthCheckNodePorts: [30_999] }),
    condition: 'Doubtful IngressDoubtful',
    says: /spec\.healthCheckNodePorts\[0\]: port 30999 is the nodePort of Service default\/late/,
  },
  {
    title: 'a Service that takes the health port',
    before: [anIngressManifest('v1', { healthCheckNodePorts: [30_999] })],
    change: aService('late', 30_999),
    condition: 'Doubtful IngressDoubtful',
    says: /spec\.healthCheckNodePorts\[0\]: port 30999 is the nodePort of Service default\/late/,
  },
  {
    title: 'pods that another object selects as well',
    before: [selectingShop],
    change: labelled(),
    condition: 'Doubtful IngressDoubtful',
    says: /spec\.template\.metadata\.labels: IngressDaemonSet default\/api selects these pods as well/,
  },
  {
    title: 'a PodDisruptionBudget of others for the same pods',
    before: [IN_FORCE],
    change: allPods,
    condition: 'Doubtful IngressDoubtful',
    says: /spec\.template\.metadata\.labels: PodDisruptionBudget default\/old selects these pods/,
  },
  {
    title: 'a limit that lets no node leave',
    before: [IN_FORCE],
    change: rolling({ minInServiceNodes: 2 }),
    condition: 'Doubtful IngressDoubtful',
    says: /minInServiceNodes: 2 nodes are to stay in service and only 2 have pods/,
  },
  {
    title: 'a limit above the node budget',
    change: rolling({ maxUnavailableNodes: 2 }),
    condition: 'Doubtful IngressDoubtful',
    says: /maxUnavailableNodes: 2 nodes are more than the node budget lets out, which is 1 of 2/,
  },
  {
    title: 'a misspelt name',
    change: rolling({ maxUnavaiablePodsPerNode: 1 }),
    condition: 'Doubtful IngressDoubtful',
    says: /maxUnavaiablePodsPerNode is a misspelt name/,
  },
]

for (const { title, before = [], change, condition: wanted, says } of FINDINGS)
  test(`is a condition and an Event within a second: ${title}`, async (t) => {
    const ground = await IngressGround.open({ nodes: 2 })
    t.after(() => ground.end())
    ground.begin('controller 1', {}, ['evenkeel.dev', 'ingressdaemonsets.mumoshu.github.io'])
    for (const object of before) {
      ground.apply(object)
      await ground.cluster.time.advance(2_000)
    }
    await ground.until('the nodes to be quiet', () => ground.deployments().every((one) => isReadyDeployment(one)))
    await ground.cluster.time.advance(30_000)
    ground.apply(change)
    const [type, reason] = wanted.split(' ')
    const isSaid = (): boolean =>
      condition(ground, 'web', type).startsWith(`True ${reason} `) &&
      says.test(condition(ground, 'web', type)) &&
      ground.events().some((event) => event.startsWith(`${reason}: `) && says.test(event))
    const at = ground.cluster.time.monoMs()
    await ground.until('it to be said', isSaid, 2)
    assert.ok(ground.cluster.time.monoMs() - at <= 1_000)
  })

const isReadyDeployment = (one: object): boolean => {
  const { spec, status } = one as { readonly spec: Json; readonly status?: Json }
  return status?.readyReplicas === spec.replicas
}

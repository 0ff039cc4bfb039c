import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runEndpointSliceController } from '../../../src/sim/actors/endpoint-slice-controller.ts'
import type { SliceEndpoint } from '../../../src/sim/actors/service-endpoints.ts'
import { ENDPOINT_SLICES, NODES, PODS, SERVICES } from '../../../src/sim/world/api-resource.ts'
import { deleteObject } from '../../../src/sim/world/delete-object.ts'
import { ControlledWorld } from './controlled-world.ts'

const service = (name: string, spec: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name, labels: { tier: 'front' } },
  spec: { selector: { app: 'web' }, ports: [{ port: 80, targetPort: 'http' }], ...spec },
})

const pod = (name: string, spec: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, labels: { app: 'web' } },
  spec: {
    nodeName: 'n1',
    containers: [{ name: 'app', ports: [{ name: 'http', containerPort: 8080 }] }],
    ...spec,
  },
})

function begun(...manifests: readonly object[]): ControlledWorld {
  const cluster = new ControlledWorld(['n1'])
  runEndpointSliceController(cluster)
  for (const manifest of manifests) cluster.apply(manifest)
  return cluster
}

const endpointsOf = (cluster: ControlledWorld): readonly SliceEndpoint[] =>
  cluster.all(ENDPOINT_SLICES).flatMap(({ endpoints }) => endpoints as readonly SliceEndpoint[])

test('a Service has one slice, owned by it, with its ports as the containers name them', async () => {
  const cluster = begun(service('web'), pod('a'))
  cluster.kubelets()
  await cluster.after(50)
  const [slice, ...more] = cluster.all(ENDPOINT_SLICES)
  assert.ok(slice)
  assert.deepEqual(more, [])
  const { labels, ownerReferences, generateName } = slice.metadata
  assert.deepEqual(labels, {
    tier: 'front',
    'kubernetes.io/service-name': 'web',
    'endpointslice.kubernetes.io/managed-by': 'endpointslice-controller.k8s.io',
  })
  assert.deepEqual([generateName, ownerReferences?.[0]?.name], ['web-', 'web'])
  assert.deepEqual(slice.ports, [{ name: '', port: 8080, protocol: 'TCP' }])
  assert.deepEqual(slice.endpoints, [
    {
      addresses: ['10.0.0.1'],
      conditions: { ready: true, serving: true, terminating: false },
      nodeName: 'n1',
      targetRef: { kind: 'Pod', namespace: 'default', name: 'a', uid: cluster.get(PODS, 'a').metadata.uid },
    },
  ])
})

test('an endpoint follows its pod: not Ready, going, gone', async () => {
  const cluster = begun(service('web'), pod('a'))
  cluster.kubelets()
  const conditions = async () => {
    await cluster.after(50)
    return endpointsOf(cluster).map((endpoint) => endpoint.conditions)
  }
  const [a] = cluster.pods()
  assert.ok(a)
  cluster.setReady(a, false)
  assert.deepEqual(await conditions(), [{ ready: false, serving: false, terminating: false }])
  cluster.setReady(a, true)
  deleteObject(cluster.world, { resource: PODS, old: cluster.get(PODS, 'a'), options: {} })
  assert.deepEqual(await conditions(), [{ ready: false, serving: true, terminating: true }])
  cluster.kubelets()
  assert.deepEqual(await conditions(), [])
})

test('a pod without an address, a pod that has ended and a pod without the label are no endpoints', async () => {
  const cluster = begun(service('web'), pod('placed'), pod('ended'), pod('other'))
  for (const name of ['ended', 'other'])
    cluster.setReady(cluster.pods().find((each) => each.metadata.name === name) ?? assert.fail())
  cluster.patch(PODS, 'ended', { status: { phase: 'Succeeded' } })
  cluster.patch(PODS, 'other', { metadata: { labels: { app: 'other' } } })
  await cluster.after(50)
  assert.deepEqual(endpointsOf(cluster), [])
})

test('a headless Service publishes names, and those that are not Ready where it is told to', async () => {
  const headless = service('db', { clusterIP: 'None', publishNotReadyAddresses: true })
  const cluster = begun(headless, pod('db-0', { hostname: 'db-0', subdomain: 'db' }))
  cluster.kubelets()
  cluster.setReady(cluster.pods()[0] ?? assert.fail(), false)
  await cluster.after(50)
  const [endpoint] = endpointsOf(cluster)
  assert.deepEqual(
    [endpoint?.hostname, endpoint?.conditions],
    ['db-0', { ready: true, serving: false, terminating: false }],
  )
  assert.equal(cluster.all(ENDPOINT_SLICES)[0]?.metadata.labels?.['service.kubernetes.io/headless'], '')
})

test('what changes nothing of an endpoint is not written, and a slice that is deleted comes back', async () => {
  const cluster = begun(service('web'), pod('a'))
  cluster.kubelets()
  await cluster.after(50)
  const [before] = cluster.all(ENDPOINT_SLICES)
  cluster.patch(PODS, 'a', { status: { startTime: '2026-01-01T00:00:00Z' } })
  cluster.patch(NODES, 'n1', { metadata: { labels: { a: 'b' } } })
  await cluster.after(50)
  assert.deepEqual(cluster.all(ENDPOINT_SLICES), [before])
  assert.ok(before)
  cluster.world.store.remove(ENDPOINT_SLICES, before.metadata)
  await cluster.after(50)
  assert.equal(endpointsOf(cluster).length, 1)
})

test('a Service without a selector gets no slice, and a deleted Service takes its slice along', async () => {
  const cluster = begun(service('web'), service('foreign', { selector: {} }))
  await cluster.after(50)
  assert.deepEqual(
    cluster.all(ENDPOINT_SLICES).map(({ metadata }) => metadata.labels?.['kubernetes.io/service-name']),
    ['web'],
  )
  cluster.world.store.remove(SERVICES, cluster.get(SERVICES, 'web').metadata)
  await cluster.after(50)
  assert.deepEqual(cluster.all(ENDPOINT_SLICES), [])
})

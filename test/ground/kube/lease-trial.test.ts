import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { absent, answering, FakeApiServer, GATEWAY_404, status } from './fake-api-server.ts'
import { openFake } from './opened.ts'

const SLOT = { namespace: 'evenkeel', name: 'slot' }
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/evenkeel/leases'
const STORED = { metadata: { ...SLOT, uid: 'u', resourceVersion: '7' }, spec: { holderIdentity: 'run-1/a' } }

test('a gateway that answers 404 says nothing about a Lease', async (t) => {
  const server = await new FakeApiServer().start()
  const { cluster, signal } = await openFake(t, server)
  server.putInTheWay(`GET ${LEASES}/slot`, GATEWAY_404)
  await assert.rejects(cluster.readLease(SLOT, signal), { code: 'KUBE_NO_PATH', retry: 'backoff' })
  assert.equal(await cluster.readLease(SLOT, signal), undefined)
})

async function scene(t: TestContext) {
  const server = await new FakeApiServer().start()
  const { cluster, signal } = await openFake(t, server)
  return { server, trial: () => cluster.tryLease(SLOT, signal) }
}

test('a Lease that is not there is tried as a new one, and is not stored', async (t) => {
  const { server, trial } = await scene(t)
  server.putInTheWay(`POST ${LEASES}`, answering(201, STORED))
  await trial()
  assert.equal(server.requests.at(-1)?.query.get('dryRun'), 'All')
})

test('a Lease that is there is tried as it stands', async (t) => {
  const { server, trial } = await scene(t)
  server.putInTheWay(`GET ${LEASES}/slot`, answering(200, STORED))
  server.putInTheWay(`PATCH ${LEASES}/slot`, answering(200, STORED))
  await trial()
  assert.equal(server.requests.at(-1)?.query.get('dryRun'), 'All')
  assert.equal(server.count(`POST ${LEASES}`), 0)
})

test('a namespace that is not there, or takes no new object, is reported', async (t) => {
  const { server, trial } = await scene(t)
  server.putInTheWay(`POST ${LEASES}`, absent('namespaces', 'evenkeel'))
  await assert.rejects(trial(), { code: 'KUBE_NOT_FOUND', message: /"evenkeel" not found/ })
  server.putInTheWay(`POST ${LEASES}`, answering(403, status(403, 'it is being terminated')))
  await assert.rejects(trial(), { code: 'KUBE_FORBIDDEN', message: /it is being terminated/ })
})

test('a client that was faster is no refusal', async (t) => {
  const { server, trial } = await scene(t)
  server.putInTheWay(`POST ${LEASES}`, answering(409, status(409, 'already exists')))
  await trial()
  server.putInTheWay(`GET ${LEASES}/slot`, answering(200, STORED), 2)
  server.putInTheWay(`PATCH ${LEASES}/slot`, answering(422, status(422)))
  await trial()
  server.putInTheWay(`PATCH ${LEASES}/slot`, absent('leases', 'slot'))
  await trial()
})

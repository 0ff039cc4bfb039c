import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ENDPOINT_SLICES, SERVICES } from '../../../src/sim/world/api-resource.ts'
import { createObject } from '../../../src/sim/world/create-object.ts'
import { MachineRoom } from '../support/machine-room.ts'

interface Endpoint {
  readonly host: string
  readonly node?: string
  readonly ready?: boolean
  readonly serving?: boolean
  readonly terminating?: boolean
}

const slice = (endpoints: readonly Endpoint[]): object => ({
  metadata: { name: 'web-1', labels: { 'kubernetes.io/service-name': 'web' } },
  addressType: 'IPv4',
  ports: [{ name: 'http', port: 8080, protocol: 'TCP' }],
  endpoints: endpoints.map(({ host, node = 'n1', ...conditions }) => ({
    addresses: [host],
    nodeName: node,
    conditions: { ready: true, serving: true, terminating: false, ...conditions },
  })),
})

/** Two nodes and a Service behind port 30080. */
async function aService(endpoints: readonly Endpoint[], spec: object = {}): Promise<MachineRoom> {
  const room = new MachineRoom()
  const body = {
    metadata: { name: 'web' },
    spec: { type: 'NodePort', ports: [{ name: 'http', port: 80, targetPort: 8080, nodePort: 30_080 }], ...spec },
  }
  createObject(room.world, { resource: SERVICES, namespace: 'default', body })
  createObject(room.world, { resource: ENDPOINT_SLICES, namespace: 'default', body: slice(endpoints) })
  room.machines.add({ name: 'n1', address: '10.77.0.11' })
  room.machines.add({ name: 'n2', address: '10.77.0.12' })
  await room.time.advance(10_000)
  return room
}

function change(room: MachineRoom, endpoints: readonly Endpoint[]): void {
  const old = room.world.store.get(ENDPOINT_SLICES, { namespace: 'default', name: 'web-1' })
  assert.ok(old)
  const { endpoints: next } = slice(endpoints) as { endpoints: unknown }
  room.world.store.put(ENDPOINT_SLICES, { ...old, endpoints: next })
}

const rules = (room: MachineRoom, node = 'n1'): string | undefined => room.plane.rulesOf(node)?.join('; ')

test('every node sends to the endpoints that are ready, wherever they are', async () => {
  const room = await aService([
    { host: '10.244.1.2' },
    { host: '10.244.2.2', node: 'n2' },
    { host: '10.244.2.3', node: 'n2', ready: false },
  ])
  for (const node of ['n1', 'n2']) assert.equal(rules(room, node), '30080 → 10.244.1.2:8080 10.244.2.2:8080')
})

test('a Service that keeps to its node sends to that node alone', async () => {
  const room = await aService([{ host: '10.244.1.2' }, { host: '10.244.2.2', node: 'n2' }], {
    externalTrafficPolicy: 'Local',
  })
  assert.equal(rules(room, 'n1'), '30080 → 10.244.1.2:8080')
  assert.equal(rules(room, 'n2'), '30080 → 10.244.2.2:8080')
})

test('where none is ready, endpoints that serve while they end are sent to', async () => {
  const leaving = { ready: false, terminating: true }
  const room = await aService([
    { host: '10.244.1.2', ...leaving },
    { host: '10.244.1.3', ...leaving, serving: false },
    { host: '10.244.1.4', ready: false, serving: false },
  ])
  assert.equal(rules(room), '30080 → 10.244.1.2:8080')
  change(room, [{ host: '10.244.1.2', ...leaving }, { host: '10.244.1.5' }])
  await room.time.advance(100)
  assert.equal(rules(room), '30080 → 10.244.1.5:8080')
})

test('a port without endpoints gets a rule that refuses', async () => {
  const room = await aService([])
  assert.equal(rules(room), '30080 →')
})

test('the first change is written soon, those after it a second later', async () => {
  const room = await aService([{ host: '10.244.1.2' }])
  change(room, [{ host: '10.244.1.3' }])
  const firstMs = await room.until(() => rules(room) === '30080 → 10.244.1.3:8080')
  assert.ok(firstMs >= 20 && firstMs <= 90, `it was ${firstMs} ms`)
  change(room, [{ host: '10.244.1.4' }])
  await room.time.advance(500)
  change(room, [{ host: '10.244.1.5' }])
  assert.equal(rules(room), '30080 → 10.244.1.3:8080')
  const secondMs = 500 + (await room.until(() => rules(room) !== '30080 → 10.244.1.3:8080'))
  assert.equal(rules(room), '30080 → 10.244.1.5:8080')
  assert.ok(secondMs >= 1_000 && secondMs <= 1_090, `it was ${secondMs} ms`)
})

test('after a boot there are no rules until kube-proxy has written its first ones', async () => {
  const room = await aService([{ host: '10.244.1.2' }])
  room.machine().reset(2_000)
  await room.time.advance(2_000)
  assert.equal(rules(room), undefined)
  const ms = await room.until(() => rules(room) !== undefined)
  assert.ok(ms >= 1_500 && ms <= 2_900, `it was ${ms} ms`)
  assert.equal(rules(room, 'n2'), '30080 → 10.244.1.2:8080', 'the other node has kept its own')
})

test('a kube-proxy that cannot reach the API keeps its rules, and updates them when it can', async () => {
  const room = await aService([{ host: '10.244.1.2' }])
  room.cutOff()
  change(room, [{ host: '10.244.1.3' }])
  await room.time.advance(60_000)
  assert.equal(rules(room), '30080 → 10.244.1.2:8080')
  assert.equal(rules(room, 'n2'), '30080 → 10.244.1.3:8080')
  room.reconnect()
  await room.until(() => rules(room) === '30080 → 10.244.1.3:8080', 61_000)
})

test('rules go with their Service', async () => {
  const room = await aService([{ host: '10.244.1.2' }])
  room.world.store.remove(SERVICES, { namespace: 'default', name: 'web' })
  await room.time.advance(100)
  assert.equal(rules(room), '')
})

test('what a kube-proxy had heard before it lost the API it still writes', async () => {
  const room = await aService([{ host: '10.244.1.2' }])
  change(room, [{ host: '10.244.1.3' }])
  room.cutOff()
  change(room, [{ host: '10.244.1.4' }])
  await room.time.advance(2_000)
  assert.equal(rules(room), '30080 → 10.244.1.3:8080')
})

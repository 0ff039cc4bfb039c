import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ENDPOINT_SLICES } from '../../../src/sim/world/api-resource.ts'
import { createObject } from '../../../src/sim/world/create-object.ts'
import { MachineRoom } from '../support/machine-room.ts'

const endpoints = (hosts: readonly string[], ready = true): readonly object[] =>
  hosts.map((host) => ({ addresses: [host], conditions: { ready, serving: ready, terminating: false } }))

/** A node with an ingress on it, which forwards to a Service with one endpoint. */
async function aRoom(service = 'web'): Promise<MachineRoom> {
  const room = new MachineRoom()
  for (const [name, host] of [
    ['web', '10.244.9.1'],
    ['other', '10.244.9.9'],
  ] as const) {
    const body = {
      metadata: { name: `${name}-1`, labels: { 'kubernetes.io/service-name': name } },
      addressType: 'IPv4',
      ports: [{ name: '', port: 8080, protocol: 'TCP' }],
      endpoints: endpoints([host]),
    }
    createObject(room.world, { resource: ENDPOINT_SLICES, namespace: 'default', body })
  }
  room.machines.add({ name: 'n1', address: '10.77.0.11' })
  await room.time.advance(5_000)
  room.place({ name: 'in', env: { FORWARD: service, GRACE: '0s' } })
  await room.time.advance(5_000)
  return room
}

function change(room: MachineRoom, next: readonly object[]): void {
  const old = room.world.store.get(ENDPOINT_SLICES, { namespace: 'default', name: 'web-1' })
  assert.ok(old)
  room.world.store.put(ENDPOINT_SLICES, { ...old, endpoints: next })
}

test('an ingress is told the endpoints of its Service, and of no other', async () => {
  const room = await aRoom()
  assert.deepEqual(room.lastProcess.forwards, ['10.244.9.1:8080'])
  const named = await aRoom('default/web')
  assert.deepEqual(named.lastProcess.forwards, ['10.244.9.1:8080'])
})

test('within about a second of a change it goes by those that are ready', async () => {
  const room = await aRoom()
  change(room, [...endpoints(['10.244.9.2', '10.244.9.3']), ...endpoints(['10.244.9.1'], false)])
  const ms = await room.until(() => room.lastProcess.forwards.length > 1)
  assert.equal(room.lastProcess.forwards.at(-1), '10.244.9.2:8080 10.244.9.3:8080')
  assert.ok(ms <= 1_040, `it was ${ms} ms`)
})

test('while the API is away it keeps the endpoints that it knew, and updates them when it can', async () => {
  const room = await aRoom()
  room.cutOff()
  change(room, endpoints(['10.244.9.2']))
  await room.time.advance(60_000)
  assert.deepEqual(room.lastProcess.forwards, ['10.244.9.1:8080'])
  room.reconnect()
  await room.until(() => room.lastProcess.forwards.at(-1) === '10.244.9.2:8080', 62_000)
})

test('an app that has ended gets no endpoints any more, and the next app gets them anew', async () => {
  const room = await aRoom()
  const before = room.lastProcess
  before.exit(1)
  change(room, endpoints(['10.244.9.2']))
  await room.time.advance(10_000)
  assert.notEqual(room.lastProcess, before)
  assert.deepEqual([before.forwards, room.lastProcess.forwards], [['10.244.9.1:8080'], ['10.244.9.2:8080']])
})

test('an app that forwards to no Service gets no endpoints', async () => {
  const room = await MachineRoom.withPod()
  assert.deepEqual(room.lastProcess.forwards, [])
})

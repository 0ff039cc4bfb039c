import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NODES } from '../../../src/sim/world/api-resource.ts'
import { MachineRoom } from '../support/machine-room.ts'

const IMAGE = 'registry.test/app:1'
const always = { image: IMAGE, imagePullPolicy: 'Always' }
const ifNotPresent = { image: IMAGE, imagePullPolicy: 'IfNotPresent' }
const waits = (room: MachineRoom): string | undefined => {
  const { state } = room.container()
  return 'waiting' in state ? state.waiting.reason : undefined
}

test('a kubelet that has just started asks a container at a time within the period of its probe', async () => {
  const readinessProbe = { httpGet: { path: '/readyz', port: 8080 }, periodSeconds: 10 }
  const found: number[] = []
  for (const seed of ['1', '2', '3', '4', '5', '6', '7', '8']) {
    const room = await MachineRoom.withPod({ seed, container: { readinessProbe } })
    await room.until(() => room.isReady(), 12_000)
    room.machine().reset(500)
    await room.until(() => !room.isReady())
    found.push(await room.until(() => room.isReady(), 12_000))
  }
  assert.ok(Math.max(...found) > 4_000, found.join())
  assert.ok(Math.min(...found) < 4_000, found.join())
})

test('an image that is pulled at each start keeps a pod from coming back while there is no registry', async () => {
  const room = await MachineRoom.withPod({ container: always })
  assert.equal(room.isReady(), true)
  room.machines.images.isDown = true
  room.machine().reset(500)
  await room.until(() => waits(room) === 'ImagePullBackOff', 30_000)
  assert.equal(room.isReady(), false)
  room.machines.images.isDown = false
  await room.until(() => room.isReady(), 60_000)
  assert.equal(room.container().restartCount, 1)
})

test('an image that the node has is not pulled again where that is not asked for', async () => {
  const room = await MachineRoom.withPod({ container: ifNotPresent })
  room.machines.images.isDown = true
  room.place({ name: 'beside', container: { image: 'registry.test/other:1' } })
  room.machine().reset(500)
  await room.until(() => room.container().restartCount === 1 && room.isReady(), 20_000)
  assert.equal(room.isReady('beside'), false)
})

test('init containers run again after a boot, before the others', async () => {
  const initContainers = [{ name: 'first', command: ['sleep', '5'] }]
  const room = await MachineRoom.withPod({ spec: { initContainers } })
  await room.until(() => room.isReady(), 10_000)
  room.machine().reset(500)
  await room.until(() => !room.isReady())
  const ms = await room.until(() => room.isReady(), 20_000)
  assert.ok(ms > 5_000, `it was ${ms} ms`)
  assert.equal(room.pod()?.status?.initContainerStatuses?.[0]?.restartCount, 1)
})

test('a static pod starts without the API, and shows so once it is back', async () => {
  const room = await MachineRoom.withPod()
  const spec = { containers: [{ name: 'app', env: [{ name: 'GRACE', value: '1s' }] }] }
  room.machines.manifestsOf('n1').put('etcd', { metadata: { name: 'etcd' }, spec })
  await room.until(() => room.isReady('etcd-n1'))
  const id = room.container('etcd-n1').containerID
  room.cutOff()
  room.machine().reset(500)
  await room.time.advance(10_000)
  assert.equal(room.plane.processes.filter(({ runs }) => runs).length, 1)
  assert.equal(room.container('etcd-n1').containerID, id)
  room.reconnect()
  await room.until(() => room.isReady('etcd-n1') && room.container('etcd-n1').containerID !== id, 90_000)
})

test('a mirror whose Node was deleted is made anew once the Node is there again', async () => {
  const room = await MachineRoom.withPod()
  const spec = { containers: [{ name: 'app', env: [{ name: 'GRACE', value: '1s' }] }] }
  room.machines.manifestsOf('n1').put('etcd', { metadata: { name: 'etcd' }, spec })
  await room.until(() => room.isReady('etcd-n1'))
  const id = room.container('etcd-n1').containerID
  const node = room.node()
  assert.ok(node)
  room.world.store.remove(NODES, { name: 'n1' })
  room.delete({ gracePeriodSeconds: 0 }, 'etcd-n1')
  await room.time.advance(500)
  assert.equal(room.pod('etcd-n1'), undefined)
  room.world.store.put(NODES, node)
  await room.until(() => room.pod('etcd-n1') !== undefined && room.isReady('etcd-n1'), 100_000)
  assert.equal(room.container('etcd-n1').containerID, id)
})

test('a static pod whose file came while the API was away is shown within two minutes, whichever client of the kubelet is back first', async () => {
  for (const awayMs of [1_000, 3_000, 5_000, 8_000, 12_000, 20_000, 30_000, 45_000]) {
    const room = await MachineRoom.withPod({ seed: `away ${awayMs}` })
    const spec = { containers: [{ name: 'app', env: [{ name: 'GRACE', value: '1s' }] }] }
    room.cutOff()
    room.machines.manifestsOf('n1').put('etcd', { metadata: { name: 'etcd' }, spec })
    await room.time.advance(awayMs)
    room.reconnect()
    await room.until(() => room.pod('etcd-n1') !== undefined, 120_000)
  }
})

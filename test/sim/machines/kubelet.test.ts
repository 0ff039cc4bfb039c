import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FAST_KUBELET } from '../../../src/sim/machines/kubelet-settings.ts'
import { NODES, PODS } from '../../../src/sim/world/api-resource.ts'
import { MachineRoom } from '../support/machine-room.ts'

const leaseSeconds = (room: MachineRoom): unknown =>
  (room.lease()?.spec as { leaseDurationSeconds?: number } | undefined)?.leaseDurationSeconds

/** How often the Lease is written while time passes. */
async function renewals(room: MachineRoom, ms: number): Promise<number> {
  let [count, last] = [0, room.lease()]
  for (let passed = 0; passed < ms; passed += 100) {
    await room.time.advance(100)
    if (room.lease() !== last) count += 1
    last = room.lease()
  }
  return count
}

test('a kubelet registers its node where there is none, and says that it is ready', async () => {
  const room = new MachineRoom()
  room.machines.add({ name: 'n1', address: '10.77.0.11', labels: { zone: 'a' } })
  await room.time.advance(3_000)
  const node = room.node()
  assert.equal(node?.metadata.labels?.['kubernetes.io/hostname'], 'n1')
  assert.equal(node?.metadata.labels?.zone, 'a')
  const status = node?.status as { addresses: unknown; nodeInfo: { kubeletVersion: string } }
  assert.deepEqual(status.addresses, [
    { type: 'InternalIP', address: '10.77.0.11' },
    { type: 'Hostname', address: 'n1' },
  ])
  assert.match(status.nodeInfo.kubeletVersion, /^v1\.\d+/)
  assert.equal(room.nodeReady(), 'True')
  assert.equal(room.shownBootId(), room.machine().bootId)
})

test('what others have written on a node stays', async () => {
  const room = await MachineRoom.withPod()
  const node = room.node()
  assert.ok(node)
  const annotated = {
    ...node,
    metadata: { ...node.metadata, annotations: { mine: 'yes' } },
    spec: { unschedulable: true },
  }
  room.world.store.put(NODES, annotated)
  room.machine().reset()
  await room.until(() => room.shownBootId() !== undefined && room.shownBootId() === room.machine().bootId)
  assert.deepEqual(room.node()?.metadata.annotations, { mine: 'yes' })
  assert.deepEqual(room.node()?.spec, { unschedulable: true })
})

test('a kubelet renews its Lease every ten seconds, and every second where it is to be noticed soon', async () => {
  const slow = await MachineRoom.withPod()
  assert.equal(leaseSeconds(slow), 40)
  const slowly = await renewals(slow, 100_000)
  assert.ok(slowly >= 9 && slowly <= 10, `it was ${slowly}`)
  const fast = await MachineRoom.withPod({ settings: FAST_KUBELET })
  assert.equal(leaseSeconds(fast), 4)
  const soon = await renewals(fast, 100_000)
  assert.ok(soon >= 96 && soon <= 100, `it was ${soon}`)
})

test('a pod that was placed is Pending, then Running with an address, then Ready', async () => {
  const room = await MachineRoom.withPod({ name: 'other' })
  room.place({ env: { START_DELAY: '3s', GRACE: '1s' } })
  const startedMs = await room.until(() => room.pod()?.status?.phase === 'Running')
  assert.ok(startedMs > 500 && startedMs < 1_100, `it was ${startedMs} ms`)
  assert.equal(room.pod()?.status?.podIP, room.lastProcess.address)
  assert.equal(room.isReady(), false)
  const readyMs = await room.until(() => room.isReady())
  assert.ok(readyMs >= 3_000 && readyMs <= 4_100, `it was ${readyMs} ms`)
  const { ready, restartCount, state } = room.container()
  assert.deepEqual([ready, restartCount, Object.keys(state)], [true, 0, ['running']])
  const conditions = room.pod()?.status?.conditions?.map(({ type, status }) => `${type}=${status}`)
  assert.deepEqual(conditions, ['PodScheduled=True', 'Initialized=True', 'ContainersReady=True', 'Ready=True'])
})

test('a container without a probe is ready as soon as it runs', async () => {
  const room = await MachineRoom.withPod({ name: 'other' })
  room.place({ env: { START_DELAY: '30s' }, container: { readinessProbe: undefined } })
  await room.until(() => room.pod()?.status?.phase === 'Running')
  assert.equal(room.isReady(), true)
})

test('a pod that is deleted gets SIGTERM, ends within its grace, and goes from the API', async () => {
  const room = await MachineRoom.withPod({ env: { GRACE: '2s' } })
  const process = room.lastProcess
  room.delete()
  await room.time.advance(1_900)
  assert.deepEqual(process.fate, ['SIGTERM'])
  const ms = await room.until(() => room.pod() === undefined)
  assert.ok(ms > 200 && ms < 1_200, `it was ${ms} ms`)
  assert.deepEqual(process.fate, ['SIGTERM', 'ended with 0', 'removed'])
})

test('a pod that outlives its grace gets SIGKILL', async () => {
  const room = await MachineRoom.withPod({ env: { GRACE: '60s' }, graceSeconds: 5 })
  const process = room.lastProcess
  room.delete()
  await room.time.advance(4_900)
  assert.deepEqual(process.fate, ['SIGTERM'])
  await room.time.advance(200)
  assert.deepEqual(process.fate.slice(0, 3), ['SIGTERM', 'SIGKILL', 'ended with 137'])
  await room.until(() => room.pod()?.status?.phase === 'Failed')
  await room.until(() => room.pod() === undefined, 2_000)
})

test('a shorter grace is not heard while the container is being stopped', async () => {
  const room = await MachineRoom.withPod({ env: { GRACE: '60s' }, graceSeconds: 50 })
  room.delete()
  await room.time.advance(10_000)
  room.delete({ gracePeriodSeconds: 3 })
  const ms = await room.until(() => room.lastProcess.fate.includes('SIGKILL'))
  assert.ok(ms >= 40_000 && ms <= 40_050, `it was ${ms} ms`)
})

for (const preStop of [{ sleep: { seconds: 5 } }, { exec: { command: ['/bin/sh', '-c', 'sleep 5'] } }]) {
  test(`a preStop hook of ${Object.keys(preStop)} comes before SIGTERM`, async () => {
    const room = await MachineRoom.withPod({ env: { STOP: 'immediate' }, container: { lifecycle: { preStop } } })
    room.delete()
    await room.time.advance(4_900)
    assert.deepEqual(room.lastProcess.fate, [])
    assert.equal(room.isReady(), true, 'it serves on')
    await room.time.advance(200)
    assert.equal(room.lastProcess.fate[0], 'SIGTERM')
    await room.until(() => room.pod() === undefined, 2_000)
  })
}

test('a pod that is forced out of the API is ended on its node, and its namesake is another pod', async () => {
  const room = await MachineRoom.withPod({ env: { GRACE: '60s' } })
  const old = room.lastProcess
  room.delete({ gracePeriodSeconds: 0 })
  assert.equal(room.pod(), undefined)
  room.place()
  await room.time.advance(4_000)
  assert.deepEqual(old.fate, ['SIGTERM', 'SIGKILL', 'ended with 137', 'removed'])
  assert.equal(room.isReady(), true)
  assert.equal(room.container().restartCount, 0)
})

test('a pod that vanishes from the API without a word of its deletion is ended, too', async () => {
  const room = await MachineRoom.withPod({ env: { STOP: 'immediate' } })
  room.world.store.remove(PODS, { namespace: 'default', name: 'web' })
  await room.time.advance(1_000)
  assert.deepEqual(room.lastProcess.fate, ['SIGTERM', 'ended with 0', 'removed'])
})

test('the kubelet corrects a status that another client has changed within ten seconds', async () => {
  const room = await MachineRoom.withPod()
  const pod = room.pod()
  assert.ok(pod)
  const conditions = pod.status?.conditions?.map((each) => ({ ...each, status: 'False' as const }))
  room.world.store.put(PODS, { ...pod, status: { ...pod.status, ...(conditions === undefined ? {} : { conditions }) } })
  assert.equal(room.isReady(), false)
  await room.until(() => room.isReady(), 10_100)
})

test('a container that ends is started again in its sandbox, at once and then after longer and longer pauses', async () => {
  const room = await MachineRoom.withPod()
  const address = room.pod()?.status?.podIP
  const pauses: number[] = []
  for (const restarts of [1, 2, 3]) {
    room.lastProcess.exit(1)
    pauses.push(await room.until(() => room.container().restartCount === restarts))
  }
  const [first = 0, second = 0, third = 0] = pauses
  assert.ok(first < 1_500 && second >= 10_000 && second < 11_100 && third >= 20_000 && third < 21_100, `${pauses}`)
  assert.equal(room.pod()?.status?.podIP, address)
  assert.equal(room.container().lastState.terminated?.exitCode, 1)
})

test('a pod that is not to be started again has finished', async () => {
  const room = await MachineRoom.withPod({ spec: { restartPolicy: 'Never' } })
  room.lastProcess.exit(0)
  await room.time.advance(2_000)
  assert.equal(room.pod()?.status?.phase, 'Succeeded')
  assert.equal(room.plane.processes.length, 1)
})

test('a pod that answers no more reads not ready after three probes', async () => {
  const room = await MachineRoom.withPod({ env: { GRACE: '20s' } })
  room.delete()
  const ms = await room.until(() => !room.isReady())
  assert.ok(ms >= 2_000 && ms <= 3_100, `it was ${ms} ms`)
})

test('a kubelet that cannot reach the API keeps its pods, renews nothing, and tells all of it when it is back', async () => {
  const room = await MachineRoom.withPod({ settings: FAST_KUBELET })
  room.cutOff()
  const [lease, node] = [room.lease(), room.node()]
  await room.time.advance(60_000)
  assert.equal(room.lease(), lease)
  assert.equal(room.node(), node)
  assert.equal(room.lastProcess.runs, true)
  room.delete()
  room.place({ name: 'late' })
  const pod = room.pod()
  assert.ok(pod)
  const conditions = pod.status?.conditions?.map((each) => ({ ...each, status: 'False' }))
  room.world.store.put(PODS, { ...pod, status: { ...pod.status, conditions } })
  await room.time.advance(10_000)
  assert.deepEqual(
    room.plane.processes.map(({ fate }) => fate),
    [[]],
  )
  room.reconnect()
  const ms = await room.until(() => room.lease() !== lease)
  assert.ok(ms < 8_000, `it was ${ms} ms`)
  await room.until(() => room.pod() === undefined, 65_000)
  await room.until(() => room.isReady('late'), 5_000)
})

test('a kubelet that boots without the API starts no pod until it can ask which', async () => {
  const room = await MachineRoom.withPod()
  room.cutOff()
  room.machine().reset()
  await room.time.advance(60_000)
  assert.equal(room.plane.processes.length, 1)
  room.reconnect()
  await room.until(() => room.container().restartCount === 1 && room.isReady(), 65_000)
})

test('a kubelet leaves the pods of other nodes alone', async () => {
  const room = await MachineRoom.withPod()
  room.place({ name: 'elsewhere', node: 'n2' })
  await room.time.advance(10_000)
  assert.equal(room.plane.processes.length, 1)
  assert.equal(room.pod('elsewhere')?.status?.phase, 'Pending')
})

test('the same seed tells the same story to the last write', async () => {
  const story = async (seed: string) => {
    const room = await MachineRoom.withPod({ seed })
    room.machine().reboot()
    await room.time.advance(20_000)
    return JSON.stringify([...room.world.store.all(PODS), ...room.world.store.all(NODES)])
  }
  assert.equal(await story('one'), await story('one'))
  assert.notEqual(await story('one'), await story('two'))
})

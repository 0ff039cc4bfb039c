import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FAST_KUBELET } from '../../../src/sim/machines/kubelet-settings.ts'
import type { NodePod } from '../../../src/sim/machines/node-pod.ts'
import { NODES, PODS } from '../../../src/sim/world/api-resource.ts'
import { MachineRoom } from '../support/machine-room.ts'

// A test bed has no logind for a kubelet to hold up. The source: pkg/kubelet/nodeshutdown, KEP-2000.
const settings = { ...FAST_KUBELET, shutdownGraceMs: 20_000 }

const ready = ({ status }: Pick<NodePod, 'status'>): string | undefined =>
  status?.conditions?.find(({ type }) => type === 'Ready')?.status

test('a kubelet that holds up a shutdown says so, ends its pods, and says how they ended before the machine stops', async () => {
  const room = await MachineRoom.withPod({ settings, env: { GRACE: '60s' }, graceSeconds: 3 })
  const changes: string[] = []
  room.world.store.subscribe(NODES, ({ object }) => changes.push(`node ${ready(object as unknown as NodePod)}`))
  room.world.store.subscribe(PODS, ({ object }) => changes.push(`pod ${(object as NodePod).status?.phase}`))
  const begun = room.time.monoMs()
  room.machine().reboot(60_000)
  await room.until(() => !room.plane.isOn('n1'))
  assert.ok(room.time.monoMs() - begun < 4_000, 'it waits for no longer than its pods may take')
  assert.deepEqual([...new Set(changes)], ['node False', 'pod Running', 'pod Failed'])
  const status = room.pod()?.status
  assert.deepEqual(
    [status?.reason, status?.message],
    ['Terminated', 'Pod was terminated in response to imminent node shutdown.'],
  )
  const target = status?.conditions?.find(({ type }) => type === 'DisruptionTarget')
  assert.deepEqual([target?.status, target?.reason], ['True', 'TerminationByKubelet'])
  assert.deepEqual(room.lastProcess.fate.slice(0, 2), ['SIGTERM', 'SIGKILL'])
})

test('a pod that ends well has succeeded; it stays where it is, and does not run after the boot', async () => {
  const room = await MachineRoom.withPod({ settings })
  room.machine().reboot(500)
  await room.until(() => room.machine().isOn && room.nodeReady() === 'True', 60_000)
  await room.time.advance(10_000)
  assert.deepEqual([room.pod()?.status?.phase, room.pod()?.status?.reason], ['Succeeded', undefined])
  assert.equal(room.plane.processes.length, 1)
})

test('a pod that comes meanwhile is refused', async () => {
  const room = await MachineRoom.withPod({ settings, env: { GRACE: '10s' } })
  room.machine().reboot(500)
  await room.until(() => room.nodeReady() === 'False')
  room.place({ name: 'late' })
  await room.time.advance(1_000)
  const status = room.pod('late')?.status
  assert.deepEqual([status?.phase, status?.reason], ['Failed', 'NodeShutdown'])
})

test('a static pod runs again after the boot, under the same mirror', async () => {
  const room = await MachineRoom.withPod({ settings })
  const spec = { containers: [{ name: 'app', env: [{ name: 'GRACE', value: '1s' }] }] }
  room.machines.manifestsOf('n1').put('etcd', { metadata: { name: 'etcd' }, spec })
  await room.until(() => room.isReady('etcd-n1'))
  const before = room.pod('etcd-n1')?.metadata.uid
  room.machine().reboot(500)
  await room.until(() => room.pod('etcd-n1')?.status?.phase === 'Failed')
  await room.until(() => room.isReady('etcd-n1'), 60_000)
  assert.equal(room.pod('etcd-n1')?.metadata.uid, before)
  assert.equal(room.container('etcd-n1').restartCount, 1)
})

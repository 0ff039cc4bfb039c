import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FAST_KUBELET } from '../../../src/sim/machines/kubelet-settings.ts'
import { MachineRoom } from '../support/machine-room.ts'

/** When each thing was first seen after the command, in ms, in the order in which it was. */
async function observeReboot(room: MachineRoom, command: () => void): Promise<Map<string, number>> {
  const boot = room.shownBootId()
  let leaseBefore = room.lease()
  const seen = new Map<string, number>()
  const startedAt = room.time.monoMs()
  const signs: Readonly<Record<string, () => boolean>> = {
    SIGTERM: () => room.plane.processes[0]?.fate[0] === 'SIGTERM',
    dark: () => !room.plane.isOn('n1'),
    power: () => seen.has('dark') && room.plane.isOn('n1'),
    lease: () => seen.has('dark') && room.lease() !== leaseBefore,
    'boot id': () => room.shownBootId() !== boot,
    'not ready': () => !room.isReady(),
    'ready again': () => seen.has('not ready') && room.isReady(),
  }
  command()
  while (!seen.has('ready again')) {
    assert.ok(room.time.monoMs() - startedAt < 30_000, `all signs were seen, not only ${[...seen.keys()]}`)
    assert.equal(room.nodeReady(), 'True', 'the node never reads NotReady')
    if (!seen.has('dark')) leaseBefore = room.lease()
    for (const [name, holds] of Object.entries(signs)) {
      if (!seen.has(name) && holds()) seen.set(name, room.time.monoMs() - startedAt)
    }
    await room.time.advance(10)
  }
  return seen
}

const within = (ms: number | undefined, least: number, most: number): boolean =>
  ms !== undefined && ms >= least && ms <= most

for (const seed of ['a', 'b', 'c']) {
  test(`a soft reboot shows the API what a real one does, in its order and in its time (seed ${seed})`, async () => {
    const room = await MachineRoom.withPod({ seed, env: { GRACE: '2s' } })
    const before = { uid: room.pod()?.metadata.uid, address: room.pod()?.status?.podIP, boot: room.machine().bootId }
    const id = room.container().containerID
    const seen = await observeReboot(room, () => assert.equal(room.machine().reboot(), true))
    assert.deepEqual([...seen.keys()], ['SIGTERM', 'dark', 'power', 'lease', 'boot id', 'not ready', 'ready again'])
    assert.ok(within(seen.get('SIGTERM'), 20, 50), 'SIGTERM at 0.03 s')
    assert.ok(within(seen.get('dark'), 2_000, 2_100), 'dark when the last container has ended')
    assert.ok(within(seen.get('lease'), 4_500, 5_000), 'the Lease at 4.9 s')
    assert.ok(within(seen.get('boot id'), 4_600, 5_200), 'the boot id at 5.0 s')
    assert.ok(within(seen.get('not ready'), 5_300, 6_200), 'the pods at 5.4 to 5.9 s')
    assert.ok(within(seen.get('ready again'), 6_500, 8_200), 'Ready at 6.9 to 7.9 s')
    assert.equal(room.pod()?.metadata.uid, before.uid)
    assert.notEqual(room.pod()?.status?.podIP, before.address)
    assert.notEqual(room.machine().bootId, before.boot)
    assert.equal(room.shownBootId(), room.machine().bootId)
    const { restartCount, containerID, lastState } = room.container()
    assert.equal(restartCount, 1)
    assert.notEqual(containerID, id)
    assert.equal(lastState.terminated?.exitCode, 255)
    assert.equal(lastState.terminated?.reason, 'Unknown')
    assert.equal(lastState.terminated?.containerID, id)
  })

  test(`a power cycle tells no container, and is over sooner (seed ${seed})`, async () => {
    const room = await MachineRoom.withPod({ seed })
    const seen = await observeReboot(room, () => room.machine().reset(2_000))
    assert.deepEqual([...seen.keys()], ['dark', 'power', 'lease', 'boot id', 'not ready', 'ready again'])
    assert.equal(seen.get('dark'), 0)
    assert.ok(within(seen.get('lease'), 2_500, 2_900), 'the Lease at 2.6 s')
    assert.ok(within(seen.get('boot id'), 2_600, 3_100), 'the boot id at 2.8 s')
    assert.ok(within(seen.get('not ready'), 3_300, 4_100), 'the pods at 3.7 s')
    assert.ok(within(seen.get('ready again'), 4_400, 6_100), 'Ready at 4.7 s')
    assert.deepEqual(room.plane.processes[0]?.fate, [])
  })
}

test('for about a second after the new boot id, pods still read Ready from before', async () => {
  const room = await MachineRoom.withPod()
  const id = room.container().containerID
  const boot = room.shownBootId()
  room.machine().reboot()
  await room.until(() => room.shownBootId() !== boot)
  assert.equal(room.nodeReady(), 'True')
  assert.equal(room.isReady(), true)
  assert.equal(room.container().containerID, id)
  const staleMs = await room.until(() => !room.isReady())
  assert.ok(staleMs >= 700 && staleMs <= 1_060, `it was ${staleMs} ms`)
  assert.deepEqual(Object.keys(room.container().state), ['terminated'])
})

test('a machine goes dark after five seconds, whatever a container still does', async () => {
  const room = await MachineRoom.withPod({ env: { GRACE: '20s' } })
  room.machine().reboot()
  const ms = await room.until(() => !room.plane.isOn('n1'))
  assert.ok(ms >= 5_000 && ms <= 5_050, `it was ${ms} ms`)
})

test('a pod that was being deleted when the power went is removed after the boot, and not started again', async () => {
  const room = await MachineRoom.withPod({ env: { GRACE: '20s' } })
  room.delete()
  await room.time.advance(1_000)
  room.machine().reset(60_000)
  await room.time.advance(59_000)
  assert.notEqual(room.pod(), undefined, 'nobody else takes it away')
  const ms = await room.until(() => room.pod() === undefined)
  assert.ok(ms > 2_000 && ms < 4_500, `it was ${ms} ms`)
  assert.equal(room.plane.processes.length, 1)
})

test('a machine takes commands only while it is on, and says its boot id only then', async () => {
  const room = await MachineRoom.withPod()
  const machine = room.machine()
  assert.equal(machine.reboot(), true)
  assert.equal(machine.reboot(), false, 'while it goes down')
  assert.equal(machine.bootId, undefined)
  await room.time.advance(3_000)
  assert.equal(machine.reboot(), false, 'while it is dark')
  await room.until(() => machine.isOn)
  assert.notEqual(machine.bootId, room.shownBootId(), 'the machine knows first')
  await room.until(() => machine.bootId === room.shownBootId())
  assert.equal(machine.boots, 2)
})

test('a machine that never comes back stays dark until an operator switches it on', async () => {
  const room = await MachineRoom.withPod()
  const machine = room.machine()
  machine.setLuck({ kind: 'never' })
  machine.reboot()
  await room.time.advance(600_000)
  assert.equal(machine.isOn, false)
  machine.powerOn()
  await room.until(() => room.shownBootId() === machine.bootId)
  const ms = await room.until(() => room.container().restartCount === 1 && room.isReady())
  assert.ok(ms < 3_500, `it was ${ms} ms`)
})

test('a machine whose power was cut stays off', async () => {
  const room = await MachineRoom.withPod()
  room.machine().reboot()
  await room.time.advance(1_000)
  room.machine().powerCut()
  await room.time.advance(600_000)
  assert.equal(room.machine().isOn, false)
})

test('a slow machine is dark for so much longer', async () => {
  const room = await MachineRoom.withPod()
  room.machine().setLuck({ kind: 'slow', byMs: 30_000 })
  room.machine().reset(2_000)
  await room.time.advance(31_990)
  assert.equal(room.machine().isOn, false)
  await room.time.advance(20)
  assert.equal(room.machine().isOn, true)
})

test('where no kubelet starts, the machine answers under a new boot id and the API does not hear of it', async () => {
  const room = await MachineRoom.withPod({ settings: FAST_KUBELET })
  const boot = room.shownBootId()
  room.machine().setLuck({ kind: 'noKubelet' })
  room.machine().reset()
  await room.until(() => room.machine().isOn)
  const lease = room.lease()
  await room.time.advance(60_000)
  assert.notEqual(room.machine().bootId, boot)
  assert.equal(room.shownBootId(), boot)
  assert.equal(room.lease(), lease)
  assert.equal(room.plane.rulesOf('n1'), undefined)
})

test('a node that never gets ready shows its boot id and renews its Lease, and its pods do not start', async () => {
  const room = await MachineRoom.withPod()
  room.machine().setLuck({ kind: 'neverReady' })
  room.machine().reset()
  await room.until(() => room.nodeReady() === 'False')
  assert.equal(room.shownBootId(), room.machine().bootId)
  const lease = room.lease()
  await room.time.advance(60_000)
  assert.notEqual(room.lease(), lease)
  assert.equal(room.nodeReady(), 'False')
  assert.equal(room.isReady(), false)
  assert.equal(room.plane.processes.length, 1)
})

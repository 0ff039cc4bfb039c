import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { OpenBalancerDoor } from './balancer-door.ts'
import { ask, askOnce, never, onceProven, ref, serverOf } from './server-of.ts'

export function reloadsContract(open: OpenBalancerDoor): void {
  test('a reload is another process that has forgotten states and counts, and has checked no server', async (t) => {
    const door = await open(t)
    await onceProven(door)
    await askOnce(door)
    await askOnce(door)
    await door.balancer.setState(ref('web/a'), 'drain', never)
    await door.balancer.setState(ref('web/b'), 'maint', never)
    const before = await door.balancer.read('lb-1', never)
    assert.equal((await door.balancer.read('lb-1', never)).process, before.process)
    door.a.sayHealth('hang')
    door.b.sayHealth('hang')
    await door.reload()
    const after = await door.balancer.read('lb-1', never)
    assert.notEqual(after.process, before.process)
    assert.deepEqual(
      after.servers.map((server) => [server.ref.server, server.adminState, server.operational, server.totalSessions]),
      [
        ['a', 'ready', 'up', 0],
        ['b', 'ready', 'up', 0],
        ['d', 'ready', 'up', 0],
      ],
    )
    assert.equal((await serverOf(door, 'web/b')).check, 'failing')
  })

  test('a state file keeps states and health over a reload', async (t) => {
    const door = await open(t)
    await onceProven(door)
    await door.balancer.setState(ref('web/a'), 'drain', never)
    await door.balancer.setState(ref('web/b'), 'maint', never)
    await door.reload({ keepsStates: true })
    const [a, b] = [await serverOf(door, 'web/a'), await serverOf(door, 'web/b')]
    assert.deepEqual([a.adminState, a.operational, a.check], ['drain', 'up', 'passing'])
    assert.deepEqual([b.adminState, b.operational, b.checkText], ['maint', 'down', 'checks are paused'])
  })

  test('the old process ends what is under way, unseen by the new one, and closes idle clients at once', async (t) => {
    const door = await open(t)
    await onceProven(door)
    const idle = await door.client('web')
    await ask(idle)
    const busy = await door.client('web')
    const held = busy.begin('/hold')
    await door.until('the request to wait', () => door.a.waiting + door.b.waiting === 1)
    await door.reload()
    await door.until('the idle client to be closed', async () => !(await idle.isOpen()))
    for (const path of ['web/a', 'web/b']) assert.equal((await serverOf(door, path)).currentSessions, 0)
    door.a.release()
    door.b.release()
    assert.deepEqual(await held.answer(), { status: 200, closes: true })
    await door.until('the busy client to be closed', async () => !(await busy.isOpen()))
    assert.deepEqual(await askOnce(door), { status: 200, closes: false })
  })

  test('what the old process still carries at the hard stop ends as if the servers had broken it', async (t) => {
    const door = await open(t, { hardStopAfterMs: 400 })
    await onceProven(door)
    const [fresh, known] = [await door.client('web'), await door.client('web')]
    await ask(known)
    const held = [fresh.begin('/hold'), known.begin('/hold')]
    await door.until('both to wait', () => door.a.waiting + door.b.waiting === 2)
    await door.reload()
    assert.deepEqual([await held[0]?.answer(), await held[1]?.answer()], [{ status: 502, closes: true }, 'closed'])
  })
}

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CONTROLLER_HELP } from '../../../bin/controller/controller-options.ts'
import { ControllerPlace, leaderOf, until } from '../../support/controller/controller-place.ts'
import { evenkeel } from '../evenkeel-process.ts'

const NAMES = ['n1', 'n2', 'n3', 'n4', 'n5', 'n6']

const settledAt = (place: ControllerPlace, granted: readonly string[]) =>
  until(`${granted} to be granted`, () => place.grants()?.granted.join() === granted.join())

test('all nodes are cordoned in one burst and the leader is killed in the middle: never more granted than may, and an event says why', async (t) => {
  const place = await ControllerPlace.of(t, 6)
  const controllers = [await place.controller(), await place.controller()]
  const leader = await leaderOf(controllers)
  await settledAt(place, [])
  for (const name of NAMES.slice(0, 3)) place.cordon(name)
  await until('the first grant', () => (place.grants()?.granted.length ?? 0) > 0)
  const killed = leader.end('SIGKILL')
  for (const name of NAMES.slice(3)) place.cordon(name)
  await killed
  const heir = controllers.find((controller) => controller !== leader)
  assert.ok(heir)
  await leaderOf([heir])
  await settledAt(place, ['n1', 'n2', 'n3'])
  const why = 'CordonNotGranted: the limit of nodes out by cordon is reached: 3 of 6'
  const expected = [`n4: ${why}`, `n5: ${why}`, `n6: ${why}`]
  await until('events', () => expected.every((line) => place.events().includes(line)))
  assert.deepEqual([...new Set(place.events())], expected)
  assert.deepEqual(
    place.published.filter(({ granted, max }) => granted.length > max || max !== 3),
    [],
  )
  const { brake, leader: led } = await heir.health()
  assert.equal(led.state, 'leading')
  assert.deepEqual(
    brake.reasons.map(({ code, node }) => `${code} ${node}`),
    ['CordonNotGranted n4', 'CordonNotGranted n5', 'CordonNotGranted n6'],
  )
  const metrics = await heir.page('/metrics')
  assert.match(metrics, /^evenkeel_controller_leader 1$/m)
  assert.match(metrics, /^evenkeel_controller_brake_waiting 3$/m)
})

test('a leader that is stopped gives the Lease back within a few seconds, and another goes on where it was', async (t) => {
  const place = await ControllerPlace.of(t, 4)
  const controllers = [
    await place.controller('--return-delay', '0', '--lease-duration', '20s'),
    await place.controller('--return-delay', '0', '--lease-duration', '20s'),
  ]
  const first = await leaderOf(controllers)
  for (const name of ['n2', 'n3', 'n4']) place.cordon(name)
  await settledAt(place, ['n2', 'n3'])
  assert.equal(await first.end('SIGTERM'), 0)
  const second = controllers.find((controller) => controller !== first)
  assert.ok(second)
  // A dead leader's Lease would have been stale after 20 s, and acted upon after some more.
  await leaderOf([second])
  assert.deepEqual(place.grants()?.granted, ['n2', 'n3'])
  place.cordon('n2', false)
  await settledAt(place, ['n3', 'n4'])
  assert.deepEqual(
    place.published.filter(({ granted }) => granted.length > 2),
    [],
  )
  assert.equal(await second.page('/readyz'), '200 ok\n')
  assert.equal(await second.page('/livez'), '200 ok\n')
  assert.equal(await second.page('/'), '404 there is no such page\n')
})

test('a leader that cannot renew its Lease ends with exit code 1 before another process may take over', async (t) => {
  const place = await ControllerPlace.of(t, 2)
  const controller = await place.controller()
  await leaderOf([controller])
  await until('the grants', () => place.grants() !== undefined)
  place.away()
  assert.equal(await controller.ended(), 1)
  assert.match(controller.said.at(-1) ?? '', /"LeadershipLapsed"/)
})

test('a leader that was frozen while another took over changes nothing once it goes on, and ends', async (t) => {
  const place = await ControllerPlace.of(t, 4)
  const controllers = [await place.controller('--return-delay', '0'), await place.controller('--return-delay', '0')]
  const frozen = await leaderOf(controllers)
  await settledAt(place, [])
  frozen.signal('SIGSTOP')
  const heir = controllers.find((controller) => controller !== frozen)
  assert.ok(heir)
  for (const name of ['n1', 'n2', 'n3']) place.cordon(name)
  await leaderOf([heir])
  await settledAt(place, ['n1', 'n2'])
  const before = place.published.length
  frozen.signal('SIGCONT')
  assert.equal(await frozen.ended(), 1)
  assert.deepEqual(place.grants()?.granted, ['n1', 'n2'])
  assert.deepEqual(
    place.published.filter(({ granted }, i) => granted.length > 2 || (i >= before && granted.join() !== 'n1,n2')),
    [],
  )
})

test('a standby that cannot ask the API server waits for it, says so, and leads once it is back', async (t) => {
  const place = await ControllerPlace.of(t, 3)
  place.away()
  const controller = await place.controller()
  await until('the trouble to be told', async () => (await controller.health()).trouble.length > 0)
  assert.equal(await controller.page('/readyz'), '503 no\n')
  assert.equal(await controller.page('/livez'), '200 ok\n')
  place.cordon('n1')
  await place.back()
  await settledAt(place, ['n1'])
  assert.equal(await controller.end('SIGTERM'), 0)
})

test('grants that another client removed or spoilt are published again', async (t) => {
  const place = await ControllerPlace.of(t, 3)
  await place.controller('--max-cordoned-out', '2')
  place.cordon('n3')
  await settledAt(place, ['n3'])
  place.spoil('nonsense')
  await settledAt(place, ['n3'])
  place.remove()
  await settledAt(place, ['n3'])
})

test('wrong options end with exit code 2 and the fix, help with 0', async () => {
  const help = await evenkeel('controller', '--help')
  assert.deepEqual([help.code, help.out, help.err], [0, CONTROLLER_HELP, ''])
  const wrong = await evenkeel('controller', '--namespace', 'edge', '--max-cordoned-out', '0')
  assert.equal(wrong.code, 2)
  assert.match(wrong.err, /^error: --max-cordoned-out.*\(CONTROLLER_OPTIONS\)\n {2}= fix: evenkeel controller --help/)
  const noPod = await evenkeel('controller', '--namespace', 'edge')
  assert.equal(noPod.code, 2)
  assert.match(noPod.err, /there is no API server to ask: this process does not run in a pod/)
})

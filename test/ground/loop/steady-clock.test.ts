import assert from 'node:assert/strict'
import { test } from 'node:test'
import { steadyClock } from '../../../src/ground/loop/steady-clock.ts'
import { VirtualClock } from '../../support/virtual-clock.ts'

test('law: a wall clock that is set moves no stamp; each time that it is set is reported once', async () => {
  const clock = new VirtualClock()
  const jumps: number[] = []
  const steady = steadyClock(clock, { onSet: (byMs) => jumps.push(byMs) })
  const begun = steady.wallMs()
  await clock.advance(1_000)
  clock.jumpWall(-5_300)
  assert.deepEqual([steady.wallMs() - begun, steady.wallMs() - begun], [1_000, 1_000])
  clock.jumpWall(5_300)
  assert.equal(steady.wallMs() - begun, 1_000)
  assert.deepEqual(jumps, [-5_300, 0])
})

test('law: a wall clock that is set moves no stamp; two processes of one machine agree on stamps, though its clock was set between their beginnings', () => {
  const clock = new VirtualClock()
  const parent = steadyClock(clock)
  clock.jumpWall(3_600_000)
  const child = steadyClock(clock, { offsetMs: parent.offsetMs })
  assert.equal(child.wallMs(), parent.wallMs())
})

test('the time in which the machine slept has passed on a steady clock, also on one that begins after it', async () => {
  const clock = new VirtualClock()
  const jumps: number[] = []
  const parent = steadyClock(clock, { onSet: (byMs) => jumps.push(byMs) })
  const begun = parent.wallMs()
  await clock.suspend(600_000)
  assert.deepEqual([parent.wallMs() - begun, jumps], [600_000, []])
  const child = steadyClock(clock, { offsetMs: parent.offsetMs })
  assert.equal(child.wallMs(), parent.wallMs())
  await clock.suspend(600_000)
  assert.equal(child.wallMs(), parent.wallMs())
})

test('a steady clock begins at the wall time of its machine, however long that is up, and passes on monotonic time and sleep', async () => {
  const clock = new VirtualClock('2026-01-01T00:00:00.000Z')
  await clock.advance(5_000)
  const steady = steadyClock(clock)
  assert.equal(new Date(steady.wallMs()).toISOString(), '2026-01-01T00:00:05.000Z')
  let awake = false
  const sleeping = steady.sleep(1_000, new AbortController().signal).then(() => {
    awake = true
  })
  await clock.advance(999)
  assert.deepEqual([awake, steady.monoMs()], [false, 5_999])
  await clock.advance(1)
  await sleeping
  assert.equal(awake, true)
})

test('a step of half a second is reported, and less is not', () => {
  const clock = new VirtualClock()
  const jumps: number[] = []
  const steady = steadyClock(clock, { onSet: (byMs) => jumps.push(byMs) })
  clock.jumpWall(499)
  steady.wallMs()
  assert.deepEqual(jumps, [])
  clock.jumpWall(1)
  steady.wallMs()
  assert.deepEqual(jumps, [500])
})

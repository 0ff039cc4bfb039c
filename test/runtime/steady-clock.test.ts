import assert from 'node:assert/strict'
import { test } from 'node:test'
import { steadyClock } from '../../src/runtime/steady-clock.ts'
import { VirtualClock } from '../support/virtual-clock.ts'

test('a wall clock that is set moves no stamp of a steady clock, and is told once for each time', async () => {
  const clock = new VirtualClock()
  const told: number[] = []
  const steady = steadyClock(clock, { onSet: (byMs) => told.push(byMs) })
  const begun = steady.wallMs()
  await clock.advance(1_000)
  clock.jumpWall(-5_300)
  assert.deepEqual([steady.wallMs() - begun, steady.wallMs() - begun], [1_000, 1_000])
  clock.jumpWall(5_300)
  assert.equal(steady.wallMs() - begun, 1_000)
  assert.deepEqual(told, [-5_300, 0])
})

test('two processes of one machine agree on stamps, though its clock was set between their beginnings', () => {
  const clock = new VirtualClock()
  const parent = steadyClock(clock)
  clock.jumpWall(3_600_000)
  const child = steadyClock(clock, { offsetMs: parent.offsetMs })
  assert.equal(child.wallMs(), parent.wallMs())
})

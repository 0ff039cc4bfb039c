import assert from 'node:assert/strict'
import { test } from 'node:test'
import { wallMs } from '../../../src/ground/model/time.ts'
import { SeededRandom } from '../../../src/sim/clocks/seeded-random.ts'
import { VirtualTime } from '../../../src/sim/clocks/virtual-time.ts'
import { Reflector } from '../../../src/sim/machines/reflector.ts'
import { turnsOfLoop } from '../../support/turns-of-loop.ts'

/** One follower of an API server that can be away. */
function aFollower(seed: number) {
  const time = new VirtualTime({ startAt: wallMs(0), turns: turnsOfLoop })
  let life: AbortController | undefined = new AbortController()
  const backAtMs: number[] = []
  const access = {
    get life() {
      return life?.signal
    },
  }
  const onBack = (): void => void backAtMs.push(time.monoMs())
  const reflector = new Reflector({ access, timers: time, random: new SeededRandom(`${seed}`), onBack })
  return {
    reflector,
    time,
    /** How long after the end of an outage it is back. */
    outage: async (awayMs: number): Promise<number> => {
      const lost = life
      life = undefined
      lost?.abort()
      assert.equal(reflector.isFollowing, false, 'it notices at once')
      await time.advance(awayMs)
      life = new AbortController()
      const endedMs = time.monoMs()
      await time.advance(60_000)
      assert.equal(reflector.isFollowing, true)
      return (backAtMs.at(-1) ?? 0) - endedMs
    },
  }
}

const lateAfter = (awayMs: number): Promise<readonly number[]> =>
  Promise.all(Array.from({ length: 100 }, (_, seed) => aFollower(seed).outage(awayMs)))

test('after a long outage a follower is back within a minute, and some take most of it', async () => {
  const late = await lateAfter(200_000)
  assert.ok(Math.max(...late) < 60_000 && Math.max(...late) > 45_000, `the last is back after ${Math.max(...late)} ms`)
  assert.ok(Math.min(...late) < 5_000, `the first is back after ${Math.min(...late)} ms`)
})

test('after a restart of a second followers are back within four', async () => {
  const late = await lateAfter(1_000)
  assert.ok(Math.max(...late) < 4_000, `the last is back after ${Math.max(...late)} ms`)
})

test('waits go on growing in outages that follow each other, and begin anew after two minutes', async () => {
  const follower = aFollower(1)
  await follower.outage(60_000)
  assert.ok((await follower.outage(1_000)) > 8_000, 'soon after a long outage')
  await follower.time.advance(120_000)
  assert.ok((await follower.outage(1_000)) < 4_000, 'long after it')
})

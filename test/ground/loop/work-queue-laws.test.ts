import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { WorkQueue } from '../../../src/ground/loop/work-queue.ts'
import { SeededRandom } from '../../support/seeded-random.ts'
import { VirtualClock } from '../../support/virtual-clock.ts'

const never = new AbortController().signal

interface Step {
  readonly waitMs: number
  readonly key: string
  readonly inMs: number
}

interface Scene {
  readonly workers: number
  readonly steps: readonly Step[]
  /** What each piece of work takes, in turn. */
  readonly takesMs: readonly number[]
}

const scene: fc.Arbitrary<Scene> = fc.record({
  workers: fc.integer({ min: 1, max: 3 }),
  steps: fc.array(
    fc.record({
      waitMs: fc.integer({ min: 0, max: 40 }),
      key: fc.constantFrom('a', 'b', 'c', 'd'),
      inMs: fc.constantFrom(0, 0, 0, 5, 30, 100),
    }),
    { maxLength: 40 },
  ),
  takesMs: fc.array(fc.integer({ min: 0, max: 60 }), { minLength: 1 }),
})

interface Entry {
  readonly at: number
  readonly what: 'add' | 'begin' | 'end'
  readonly key: string
  readonly dueAt: number
}

/** Plays a scene and tells all that happened, in order. */
async function played({ workers, steps, takesMs }: Scene): Promise<readonly Entry[]> {
  const clock = new VirtualClock()
  const queue = new WorkQueue({ clock, random: new SeededRandom(1), workers, backoff: { baseMs: 100, capMs: 1_000 } })
  const log: Entry[] = []
  const note = (what: Entry['what'], key: string, dueAt = 0) => log.push({ at: clock.monoMs(), what, key, dueAt })
  let turn = 0
  const running = queue.run(async (key, signal) => {
    note('begin', key)
    await clock.sleep(takesMs[turn++ % takesMs.length] ?? 0, signal)
    note('end', key)
    return { kind: 'done' }
  }, never)
  for (const { waitMs, key, inMs } of steps) {
    await clock.advance(waitMs)
    note('add', key, clock.monoMs() + inMs)
    queue.add(key, inMs)
  }
  await clock.advance(10_000)
  assert.deepEqual([queue.depth(), queue.underWay()], [0, 0])
  await Promise.all([queue.stop(), clock.advance(0)])
  await running
  assert.equal(clock.sleeping(), 0)
  return log
}

/** What a key's adds since its last beginning ask for: the earliest of them. */
const owed = (log: readonly Entry[], key: string): number | undefined => {
  const since = log.findLastIndex((entry) => entry.what === 'begin' && entry.key === key)
  const asked = log.slice(since + 1).filter((entry) => entry.what === 'add' && entry.key === key)
  return asked.length === 0 ? undefined : Math.min(...asked.map(({ dueAt }) => dueAt))
}

function lawsHold(log: readonly Entry[], workers: number): void {
  const working = new Set<string>()
  log.forEach(({ at, what, key }, i) => {
    const before = log.slice(0, i)
    if (what === 'begin') {
      assert.ok(!working.has(key), `${key} has two workers at ${at}`)
      const dueAt = owed(before, key)
      assert.ok(dueAt !== undefined, `nobody asked for ${key} at ${at}`)
      assert.ok(dueAt <= at, `${key} begins at ${at}, before ${dueAt}`)
      for (const other of ['a', 'b', 'c', 'd'].filter((one) => one !== key && !working.has(one))) {
        const others = owed(before, other)
        assert.ok(others === undefined || others >= dueAt, `${key} (${dueAt}) before ${other} (${others}) at ${at}`)
      }
      working.add(key)
    }
    if (what === 'end') working.delete(key)
    assert.ok(working.size <= workers)
  })
  for (const key of ['a', 'b', 'c', 'd']) assert.equal(owed(log, key), undefined, `${key} is forgotten`)
}

test('whatever is added when: one worker a key, nothing before its time, what is due first goes first, nothing is forgotten', async () => {
  await fc.assert(
    fc.asyncProperty(scene, async (one) => lawsHold(await played(one), one.workers)),
    { numRuns: 200 },
  )
})

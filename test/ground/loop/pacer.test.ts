import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Pacer } from '../../../src/ground/loop/pacer.ts'
import { SeededRandom } from '../../support/seeded-random.ts'
import { VirtualClock } from '../../support/virtual-clock.ts'

const never = new AbortController().signal

interface Paced {
  readonly pacer: Pacer
  readonly clock: VirtualClock
  /** When each turn came, in ms. */
  readonly at: readonly number[]
  readonly ask: (turns: number) => void
}

function paced(perSecond: number, clock = new VirtualClock()): Paced {
  const pacer = new Pacer({ clock, random: new SeededRandom(perSecond), perSecond })
  const at: number[] = []
  const one = async (): Promise<void> => {
    await pacer.turn(never)
    at.push(clock.monoMs())
  }
  const ask = (turns: number): void => {
    for (let i = 0; i < turns; i += 1) void one()
  }
  return { pacer, clock, at, ask }
}

/** The most turns within any 100 ms. */
const mostAtOnce = (at: readonly number[]): number =>
  at.reduce((most, from, i) => {
    const next = at.findIndex((one, j) => j > i && one >= from + 100)
    return Math.max(most, (next === -1 ? at.length : next) - i)
  }, 0)

for (const [perSecond, share] of [
  [1, 1],
  [15, 2],
  [800, 80],
  [5_000, 500],
] as const) {
  test(`at ${perSecond} a second no 100 ms have more than ${share} turns, and the last turn is not later than its even time`, async () => {
    const { clock, at, ask } = paced(perSecond)
    const turns = Math.min(3_000, Math.max(4, perSecond * 2))
    ask(turns)
    await clock.advance(10_000)
    assert.equal(at.length, turns)
    assert.ok(mostAtOnce(at) <= share, `${mostAtOnce(at)} within 100 ms`)
    const everyMs = 1_000 / perSecond
    assert.ok((at.at(-1) ?? 0) <= turns * everyMs, `the last came after ${at.at(-1)} ms`)
  })
}

test('turns are spread evenly, and not at the same distance', async () => {
  const { clock, at, ask } = paced(800)
  ask(800)
  await clock.advance(1_000)
  const afterwards = at.filter((ms) => ms > 100)
  const gaps = afterwards.slice(1).map((ms, i) => ms - (afterwards[i] ?? 0))
  assert.ok(Math.max(...gaps) < 2.5, `${Math.max(...gaps)} ms between two`)
  assert.ok(new Set(gaps.map((ms) => ms.toFixed(2))).size > 50)
})

test('a little work waits for nothing, and neither does the same again a second later', async () => {
  const { clock, at, ask } = paced(800)
  ask(30)
  await clock.advance(1_000)
  ask(30)
  await clock.advance(1)
  assert.deepEqual([at.filter((ms) => ms === 0).length, at.filter((ms) => ms === 1_000).length], [30, 30])
})

test('work that comes in bursts has no more than its share of any 100 ms', async () => {
  const { clock, at, ask } = paced(800)
  const random = new SeededRandom(7)
  for (let i = 0; i < 60; i += 1) {
    ask(Math.floor(random.next() * 70))
    await clock.advance(random.next() * 150)
  }
  await clock.advance(10_000)
  assert.ok(at.length > 1_500)
  assert.ok(mostAtOnce(at) <= 80, `${mostAtOnce(at)} within 100 ms`)
})

/** Each sleep ends late, by up to so much. */
class LateClock extends VirtualClock {
  readonly #random = new SeededRandom(3)
  readonly #byMs: number

  constructor(byMs: number) {
    super()
    this.#byMs = byMs
  }

  override sleep(ms: number, signal: AbortSignal): Promise<void> {
    return super.sleep(ms + this.#random.next() * this.#byMs, signal)
  }
}

test('what timers are late by is caught up with, within the share of 100 ms', async () => {
  const { clock, at, ask } = paced(800, new LateClock(4))
  ask(1_600)
  await clock.advance(10_000)
  assert.ok(mostAtOnce(at) <= 80)
  assert.ok((at.at(-1) ?? 0) < 2_200, `the last came after ${at.at(-1)} ms`)
})

test('a turn that is given up while it waits is not taken, and leaves nothing behind', async () => {
  const { pacer, clock, at, ask } = paced(10)
  ask(1)
  const stop = new AbortController()
  const reason = new Error('interrupted')
  const given = assert.rejects(pacer.turn(stop.signal), reason)
  ask(1)
  await clock.advance(50)
  stop.abort(reason)
  await given
  await clock.advance(200)
  assert.equal(at.length, 2)
  assert.ok((at[1] ?? 0) <= 200)
  const last = new AbortController()
  const lastGiven = assert.rejects(pacer.turn(last.signal), reason)
  await clock.advance(1)
  assert.equal(clock.sleeping(), 1)
  last.abort(reason)
  ask(1)
  await lastGiven
  await clock.advance(200)
  assert.equal(at.length, 3)
  assert.equal(clock.sleeping(), 0)
  await assert.rejects(pacer.turn(last.signal), reason)
})

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { MemoryPair } from '../support/memory-pair.ts'
import { leave, type MemoryRoll, memoryRoll } from '../support/memory-roll.ts'
import { hostsSpec, RUN_HOSTS } from '../support/two-hosts-run.ts'

/** More than any roll writes here: a loop that never waits would not let the clock go on. */
const TOO_MANY = 2_000

class TooManyWrites extends Error {}

/** When a server was written to, in seconds; throws once no end is in sight. */
function counted({ clock }: Pick<MemoryRoll, 'clock'>) {
  const at: number[] = []
  const write = (): void => {
    at.push(Math.floor(clock.monoMs() / 1000))
    if (at.length > TOO_MANY) throw new TooManyWrites(`${at.length} writes by second ${at.at(-1)}`)
  }
  return { at, write }
}

async function during(t: TestContext, roll: MemoryRoll, ms: number): Promise<void> {
  const running = roll.begin()
  t.after(() => leave(roll, running).catch(() => undefined))
  await Promise.race([roll.clock.advance(ms), running.then(() => roll.clock.advance(ms))])
}

test('a weight that an instance takes and does not set is set again after a growing pause, until the limit of the step', async (t) => {
  const pair: { made?: MemoryPair } = {}
  const roll = memoryRoll({
    run: { spec: hostsSpec(), order: [], hosts: RUN_HOSTS },
    pair: (clock) => {
      pair.made = new MemoryPair(clock, ['n1'])
      return pair.made
    },
  })
  const { at, write } = counted(roll)
  assert.ok(pair.made !== undefined)
  pair.made.setWeight = async () => write()
  await during(t, roll, 1_000_000)
  assert.deepEqual(
    at.slice(0, 8).map((second) => second - (at[0] ?? 0)),
    [0, 1, 3, 7, 15, 31, 63, 123],
  )
  assert.equal(roll.ended()?.outcome, 'stopped')
  assert.deepEqual(
    roll
      .ended()
      ?.reasons.map(({ code }) => code)
      .slice(0, 1),
    ['HostNotSettled'],
  )
})

test('a server that lost its state once more after it was put right is put right at once', async (t) => {
  const pair: { made?: MemoryPair } = {}
  const roll = memoryRoll({
    run: { spec: hostsSpec(), order: [], hosts: RUN_HOSTS },
    pair: (clock) => {
      pair.made = new MemoryPair(clock, ['n1'])
      return pair.made
    },
  })
  await during(t, roll, 25_000)
  assert.ok(pair.made !== undefined)
  const ref = { instance: 'lb-1', backend: 'web', server: 'n1' }
  for (const weight of [3, 4, 5]) {
    pair.made.change(ref, { weight })
    await roll.clock.advance(2_000)
    assert.equal(pair.made.reading(ref)?.weight, 10)
  }
})

for (const [state, step] of [
  ['drain', 'detach'],
  ['ready', 'attach'],
] as const)
  test(`a command that sets a server to ${state} and that a balancer takes in vain is sent again at once, and then after a growing pause`, async (t) => {
    const roll = memoryRoll({ run: { order: ['n1'] } })
    const { at, write } = counted(roll)
    const setState = roll.balancer.setState.bind(roll.balancer)
    roll.balancer.setState = (ref, to) => (to === state ? Promise.resolve(write()) : setState(ref, to))
    await during(t, roll, 100_000)
    assert.deepEqual(
      at.slice(0, 6).map((second) => second - (at[0] ?? 0)),
      [0, 0, 1, 3, 7, 15],
    )
    const started = roll.events.flatMap((event) => (event.type === 'step.started' ? [event.step] : []))
    assert.equal(started.at(-1), step)
  })

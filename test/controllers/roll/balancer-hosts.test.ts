import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { RollSpec } from '../../../src/model/roll-spec.ts'
import { MemoryPair, twoHosts } from '../../support/memory-pair.ts'
import { leave, memoryRoll } from '../../support/memory-roll.ts'
import { aSpec } from '../../support/roll-world.ts'

const address = { kind: 'unix', path: '/run/haproxy.sock' } as const

const spec = (change: Partial<RollSpec> = {}): RollSpec =>
  aSpec({
    balancers: [
      {
        name: 'edge',
        instances: ['lb-1', 'lb-2'].map((name) => ({ name, address })),
        backends: ['web'],
        allowLastServer: false,
      },
    ],
    hosts: twoHosts(),
    ...change,
  })

interface Begun {
  readonly spec?: RollSpec
  readonly order?: readonly string[]
  readonly world?: (pair: MemoryPair) => void
}

function begun(t: TestContext, { spec: asked = spec(), order = [], world = () => undefined }: Begun = {}) {
  let pair: MemoryPair | undefined
  const hosts = { order: ['lb-1', 'lb-2'], done: [], memory: {} }
  const roll = memoryRoll({
    run: { spec: asked, order, hosts },
    pair: (clock) => {
      pair = new MemoryPair(clock)
      world(pair)
      return pair
    },
  })
  assert.ok(pair !== undefined)
  const running = roll.begin()
  t.after(() => leave(roll, running))
  return { ...roll, pair }
}

test('both machines of a pair are rebooted, one after the other, and the address is never on the one that goes', async (t) => {
  const { clock, pair, ended, events } = begun(t)
  await clock.advance(300_000)
  const steps = events.flatMap((event) => (event.type === 'step.started' ? [`${event.node} ${event.step}`] : []))
  assert.deepEqual([ended()?.outcome, ended()?.reasons], ['completed', []])
  assert.deepEqual(
    [pair.boots(), pair.wrongs, pair.said],
    [[1, 1], [], ['lb-1 away', 'lb-1 back', 'lb-2 away', 'lb-2 back']],
  )
  assert.deepEqual(steps.slice(0, 8), [])
})

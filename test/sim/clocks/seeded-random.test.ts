import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SeededRandom } from '../../../src/sim/clocks/seeded-random.ts'

const draws = (random: SeededRandom, count: number): readonly number[] =>
  Array.from({ length: count }, () => random.next())

test('the same seed gives the same draws on every machine', () => {
  assert.equal(new SeededRandom('7').hex(12), '29f32f5e02693f6a9c3d3664')
  assert.notDeepEqual(draws(new SeededRandom('7'), 4), draws(new SeededRandom('8'), 4))
})

test('more draws in one fork change nothing in another', () => {
  const one = new SeededRandom('seed')
  const other = new SeededRandom('seed')
  draws(one.fork('kubelet n1'), 100)
  assert.deepEqual(draws(one.fork('scheduler'), 5), draws(other.fork('scheduler'), 5))
  assert.notDeepEqual(draws(one.fork('a'), 5), draws(one.fork('b'), 5))
})

test('draws lie in [0, 1) and are spread evenly', () => {
  const random = new SeededRandom('spread')
  const tenths = new Array<number>(10).fill(0)
  for (const value of draws(random, 20_000)) {
    assert.ok(value >= 0 && value < 1)
    const tenth = Math.floor(value * 10)
    tenths[tenth] = (tenths[tenth] ?? 0) + 1
  }
  for (const count of tenths) assert.ok(count > 1800 && count < 2200, String(tenths))
})

test('bytes come as hex of their length', () => {
  for (const bytes of [0, 1, 3, 4, 16])
    assert.match(new SeededRandom('x').hex(bytes), new RegExp(`^[0-9a-f]{${bytes * 2}}$`))
})

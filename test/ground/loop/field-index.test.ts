import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { GroupedIndex } from '../../../src/ground/loop/field-index.ts'

interface Thing {
  readonly group: string
  readonly value: string
}

const newIndex = () =>
  new GroupedIndex<Thing>(
    ({ group }) => group,
    ({ value }) => [value],
  )

test('what is found by its group and its value is what is there, after any changes', () => {
  const thing = fc.option(fc.record({ group: fc.constantFrom('a', 'b'), value: fc.constantFrom('x', 'y') }))
  const changes = fc.array(fc.tuple(fc.constantFrom('1', '2', '3'), thing))
  fc.assert(
    fc.property(changes, (all) => {
      const [index, there] = [newIndex(), new Map<string, Thing>()]
      for (const [key, now] of all) {
        index.apply(key, there.get(key), now ?? undefined)
        if (now === null) there.delete(key)
        else there.set(key, now)
      }
      for (const group of ['a', 'b', 'c'])
        for (const value of ['x', 'y', 'z']) {
          const expected = [...there].filter(([, one]) => one.group === group && one.value === value)
          const sorted = expected.toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, one]) => one)
          assert.deepEqual(index.get(group)(value), sorted)
        }
    }),
  )
})

test('a lookup is the same until something in its group changes, and tells of no change by being the same', () => {
  const index = newIndex()
  const first = { group: 'a', value: 'x' }
  index.apply('1', undefined, first)
  const lookup = index.get('a')
  assert.equal(index.get('a'), lookup)
  index.apply('2', undefined, { group: 'b', value: 'x' })
  assert.equal(index.get('a'), lookup)
  index.apply('1', first, { group: 'b', value: 'x' })
  assert.notEqual(index.get('a'), lookup)
  assert.deepEqual(index.get('a')('x'), [])
})

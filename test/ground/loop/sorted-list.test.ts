import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { SortedList } from '../../../src/ground/loop/sorted-list.ts'

const key = fc.constantFrom('a', 'a-1', 'b/c', 'b', 'ä', 'z')
const change = fc.oneof(
  fc.record({ kind: fc.constant('set' as const), key, value: fc.integer() }),
  fc.record({ kind: fc.constant('delete' as const), key }),
  fc.record({ kind: fc.constant('reset' as const), entries: fc.array(fc.tuple(key, fc.integer())) }),
  fc.record({ kind: fc.constant('look' as const) }),
)

test('a sorted list is what a map would be, sorted at each look, and no list that was given out ever changes', () => {
  fc.assert(
    fc.property(fc.array(change), (changes) => {
      const list = new SortedList<number>()
      const plain = new Map<string, number>()
      const looks: { readonly list: readonly number[]; readonly atFirst: readonly number[] }[] = []
      for (const each of changes) {
        if (each.kind === 'set') {
          list.set(each.key, each.value)
          plain.set(each.key, each.value)
        } else if (each.kind === 'delete') assert.equal(list.delete(each.key), plain.delete(each.key))
        else if (each.kind === 'reset') {
          list.reset(each.entries)
          plain.clear()
          for (const [name, value] of each.entries) plain.set(name, value)
        } else {
          const sorted = [...plain].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, value]) => value)
          assert.deepEqual(list.list(), sorted)
          looks.push({ list: list.list(), atFirst: sorted })
        }
        for (const name of ['a', 'b', 'z']) assert.equal(list.get(name), plain.get(name))
      }
      for (const { list: given, atFirst } of looks) assert.deepEqual(given, atFirst)
    }),
  )
})

test('between two looks without a change the list is the same one', () => {
  const list = new SortedList<number>()
  list.set('a', 1)
  assert.equal(list.list(), list.list())
})

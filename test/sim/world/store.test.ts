import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { ApiObject } from '../../../src/sim/world/api-object.ts'
import { CONFIG_MAPS, NODES } from '../../../src/sim/world/api-resource.ts'
import { objectsAt } from '../../../src/sim/world/objects-at.ts'
import { type Change, Store } from '../../../src/sim/world/store.ts'

const object = (name: string, value = ''): ApiObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'default', uid: name, resourceVersion: '', creationTimestamp: '2026-01-01T00:00:00Z' },
  data: { value },
})

const changeText = ({ type, revision, object: { metadata } }: Change): string => `${revision} ${type} ${metadata.name}`

test('every write counts on, whatever its kind, and is stamped with its count', () => {
  const store = new Store(10)
  const first = store.put(CONFIG_MAPS, object('a'))
  const second = store.put(NODES, object('n'))
  store.remove(CONFIG_MAPS, first.metadata)
  assert.deepEqual([first.metadata.resourceVersion, second.metadata.resourceVersion, store.revision], ['11', '12', 13])
})

test('a write that a sink makes is told to every sink after the write that caused it', () => {
  const store = new Store(0)
  const heard: string[] = []
  store.subscribe(CONFIG_MAPS, ({ object: { metadata } }) => {
    if (metadata.name === 'a') store.put(CONFIG_MAPS, object('b'))
  })
  store.subscribe(CONFIG_MAPS, (change) => void heard.push(changeText(change)))
  store.put(CONFIG_MAPS, object('a'))
  assert.deepEqual(heard, ['1 ADDED a', '2 ADDED b'])
})

test('the log is forgotten up to a revision, and a reader that asks from before it hears so', () => {
  const store = new Store(0)
  for (const name of ['a', 'b', 'c']) store.put(CONFIG_MAPS, object(name))
  store.compact(2)
  assert.deepEqual(store.changesAfter(CONFIG_MAPS, 2)?.map(changeText), ['3 ADDED c'])
  assert.equal(store.changesAfter(CONFIG_MAPS, 1), undefined)
  assert.equal(objectsAt(store, CONFIG_MAPS, 1), undefined)
})

test('a replay of the log from any moment gives the current objects', () => {
  const steps = fc.array(
    fc.record({ name: fc.constantFrom('a', 'b', 'c', 'd'), put: fc.boolean(), value: fc.string() }),
  )
  fc.assert(
    fc.property(steps, fc.nat(), (all, at) => {
      const store = new Store(0)
      const moments: (readonly ApiObject[])[] = [[]]
      for (const { name, put, value } of all) {
        if (put) store.put(CONFIG_MAPS, object(name, value))
        else store.remove(CONFIG_MAPS, { name, namespace: 'default' })
        moments[store.revision] = [...store.all(CONFIG_MAPS)].toSorted((a, b) =>
          a.metadata.name < b.metadata.name ? -1 : 1,
        )
      }
      const revision = at % moments.length
      assert.deepEqual(objectsAt(store, CONFIG_MAPS, revision), moments[revision])
      const replayed = new Map(moments[revision]?.map((each) => [each.metadata.name, each]))
      for (const { type, object: changed } of store.changesAfter(CONFIG_MAPS, revision) ?? []) {
        if (type === 'DELETED') replayed.delete(changed.metadata.name)
        else replayed.set(changed.metadata.name, changed)
      }
      const now = new Map([...store.all(CONFIG_MAPS)].map((each) => [each.metadata.name, each]))
      assert.deepEqual(new Map([...replayed].toSorted()), new Map([...now].toSorted()))
    }),
  )
})

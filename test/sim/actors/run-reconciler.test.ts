import assert from 'node:assert/strict'
import { test } from 'node:test'
import { monoMs, wallMs } from '../../../src/ground/model/time.ts'
import type { Timers } from '../../../src/ground/ports/timers.ts'
import { runReconciler } from '../../../src/sim/actors/run-reconciler.ts'
import { NAMESPACES } from '../../../src/sim/world/api-resource.ts'
import { createObject } from '../../../src/sim/world/create-object.ts'
import { Store } from '../../../src/sim/world/store.ts'
import { SeededRandom } from '../../support/seeded-random.ts'

/** Timers that run when told how late it is. */
function handTimers() {
  let due: { at: number; run: () => void }[] = []
  let now = 0
  const timers: Timers = {
    later: (ms, run) => {
      const timer = { at: now + ms, run }
      due.push(timer)
      return () => {
        due = due.filter((other) => other !== timer)
      }
    },
  }
  const advance = (ms: number): void => {
    now += ms
    for (let next = due.find(({ at }) => at <= now); next !== undefined; next = due.find(({ at }) => at <= now)) {
      const { run } = next
      due = due.filter((other) => other !== next)
      run()
    }
  }
  return { timers, advance, left: () => due.length }
}

function aWorld() {
  const world = {
    store: new Store(),
    clock: { monoMs: () => monoMs(0), wallMs: () => wallMs(0) },
    random: new SeededRandom(1),
  }
  const make = (name: string) => createObject(world, { resource: NAMESPACES, body: { metadata: { name } } })
  return { world, make }
}

const nameOf = [NAMESPACES, ({ object }: { object: { metadata: { name: string } } }) => [object.metadata.name]] as const

test('what is there at the start is looked at, and every change after it, once for many', () => {
  const { world, make } = aWorld()
  const { timers, advance } = handTimers()
  make('a')
  const synced: string[] = []
  const sync = (key: string): undefined => void synced.push(key)
  runReconciler({ world, timers }, { watches: [nameOf], lagMs: 5, sync })
  make('b')
  const old = world.store.get(NAMESPACES, { name: 'b' })
  assert.ok(old)
  world.store.put(NAMESPACES, { ...old, data: 1 })
  assert.deepEqual(synced, [])
  advance(5)
  assert.deepEqual(synced, ['a', 'b'])
})

test('a key that wants to be looked at again is, and a change comes before that', () => {
  const { world, make } = aWorld()
  const { timers, advance, left } = handTimers()
  const synced: string[] = []
  const sync = (key: string): number => {
    synced.push(key)
    return 1_000
  }
  const end = runReconciler({ world, timers }, { watches: [nameOf], lagMs: 5, sync })
  const made = make('a')
  advance(5)
  advance(1_000)
  assert.deepEqual(synced, ['a', 'a'])
  world.store.put(NAMESPACES, { ...made, data: 1 })
  advance(5)
  assert.deepEqual(synced, ['a', 'a', 'a'])
  assert.equal(left(), 1, 'one visit is planned, not two')
  end()
  assert.equal(left(), 0)
})

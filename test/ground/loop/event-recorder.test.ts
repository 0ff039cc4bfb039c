import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EventRecorder } from '../../../src/ground/loop/event-recorder.ts'
import { WorldError } from '../../../src/ground/model/world-error.ts'
import type { Change, NewObject } from '../../../src/ground/ports/objects.ts'
import { SeededRandom } from '../../support/seeded-random.ts'
import { VirtualClock } from '../../support/virtual-clock.ts'

const never = new AbortController().signal
const MINUTE = 60_000

/** An API server that keeps counts of Events by their names. */
function aRecorder() {
  const clock = new VirtualClock()
  const events = new Map<string, { text: string; count: number }>()
  const world = { writes: 0, failing: false }
  const write = (): void => {
    if (world.failing) throw new WorldError('away', { code: 'KUBE_UNREACHABLE', retry: 'backoff' })
    world.writes += 1
  }
  const objects = {
    create: async <T>({ object, kind }: NewObject<T>): Promise<T> => {
      write()
      events.set(object.metadata.name, { text: String(object.message), count: Number(object.count) })
      return kind.parse(undefined as never)
    },
    patch: async <T>({ name, patch, kind }: Change<T>): Promise<T> => {
      const event = events.get(name)
      if (event === undefined) throw new WorldError('no such event', { code: 'KUBE_NOT_FOUND', retry: 'never' })
      write()
      event.count = Number((patch as { readonly count: number }).count)
      return kind.parse(undefined as never)
    },
  }
  const recorder = new EventRecorder({ objects, clock, random: new SeededRandom(1), identity: 'me' })
  const tell = (text: string, uid = 'u1') =>
    recorder.tell({ kind: 'Node', name: 'n1', uid, type: 'Warning', reason: { code: 'Held', text } }, never)
  const said = () => [...events.values()].map(({ text, count }) => `${count} ${text}`)
  return { clock, events, world, recorder, tell, said }
}

test('the same of the same object within ten minutes is one Event with a count, and a new one after them', async () => {
  const { clock, tell, said } = aRecorder()
  for (let n = 0; n < 3; n += 1) await tell('a volume is on it')
  await tell('a pod is on it')
  await tell('a volume is on it', 'u2')
  assert.deepEqual(said(), ['3 a volume is on it', '1 a pod is on it', '1 a volume is on it'])
  await clock.advance(10 * MINUTE)
  await tell('a pod is on it')
  assert.deepEqual(said().at(-1), '1 a pod is on it')
  assert.equal(said().length, 4)
})

test('an Event that the API server has dropped is made anew', async () => {
  const { events, tell, said } = aRecorder()
  await tell('held')
  events.clear()
  await tell('held')
  assert.deepEqual(said(), ['1 held'])
})

test('one object that talks without end is written of 25 times at once, then every five minutes, and its count is right', async () => {
  const { clock, world, recorder, tell, said } = aRecorder()
  for (let n = 0; n < 100; n += 1) {
    await tell('held')
    await clock.advance(300)
  }
  assert.deepEqual([world.writes, said(), recorder.dropped()], [25, ['25 held'], 75])
  await clock.advance(5 * MINUTE)
  await tell('held')
  assert.deepEqual([world.writes, said()], [26, ['101 held']])
})

test('a fleet that turns ill at once is written of as fast as the rate of all allows', async () => {
  const { clock, world, recorder, tell } = aRecorder()
  for (let n = 0; n < 5_000; n += 1) await tell('not ready', `u${n}`)
  assert.deepEqual([world.writes, recorder.dropped()], [100, 4_900])
  await clock.advance(1_000)
  for (let n = 0; n < 10; n += 1) await tell('not ready', `v${n}`)
  assert.equal(world.writes, 105)
})

test('an Event that could not be written is reported when it is said again', async () => {
  const { world, tell, said } = aRecorder()
  world.failing = true
  await assert.rejects(tell('held'), { code: 'KUBE_UNREACHABLE' })
  world.failing = false
  await tell('held')
  assert.deepEqual(said(), ['1 held'])
})

test('an object that talks too much takes nothing from the others', async () => {
  const { world, tell } = aRecorder()
  for (let n = 0; n < 500; n += 1) await tell(`text ${n}`)
  assert.equal(world.writes, 25)
  for (let n = 0; n < 200; n += 1) await tell('held', `u${n + 2}`)
  assert.equal(world.writes, 100)
})

test('a silence, however long, is followed by no more than a burst', async () => {
  const { clock, world, tell } = aRecorder()
  await tell('held')
  await clock.advance(24 * 60 * MINUTE)
  const { writes } = world
  for (let n = 0; n < 200; n += 1) await tell(`text ${n}`)
  assert.equal(world.writes - writes, 25)
})

test('what thousands of others came after is forgotten, so that memory has an end', async () => {
  const { clock, world, tell } = aRecorder()
  for (let n = 0; n < 30; n += 1) await tell(`text ${n}`)
  for (let n = 0; n < 4_096; n += 1) await tell('held', `v${n}`)
  await clock.advance(MINUTE)
  const { writes } = world
  await tell('one more')
  assert.equal(world.writes, writes + 1, 'its rate is forgotten, too')
})

import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import { test } from 'node:test'
import { Wakeup } from '../../../src/ground/loop/wakeup.ts'
import { VirtualClock } from '../../support/virtual-clock.ts'

const never = new AbortController().signal

test('a burst of changes makes one pass', async () => {
  const wakeup = new Wakeup(new VirtualClock())
  wakeup.wake()
  wakeup.wake()
  wakeup.wake()
  assert.equal(await wakeup.next(undefined, never), 'changed')
  let second: string | undefined
  void wakeup.next(undefined, never).then((why) => {
    second = why
  })
  await new Promise(setImmediate)
  assert.equal(second, undefined)
})

test('a change during a pass is not lost', async () => {
  const clock = new VirtualClock()
  const wakeup = new Wakeup(clock)
  wakeup.wake()
  await wakeup.next(undefined, never)
  wakeup.wake()
  assert.equal(await wakeup.next(5_000, never), 'changed')
  assert.equal(clock.monoMs(), 0)
})

test('a wait ends when it is time, and leaves no timer behind when a change ends it', async () => {
  const clock = new VirtualClock()
  const wakeup = new Wakeup(clock)
  const due = wakeup.next(250, never)
  await clock.advance(250)
  assert.equal(await due, 'due')

  const changed = wakeup.next(250, never)
  wakeup.wake()
  assert.equal(await changed, 'changed')
  assert.equal(clock.sleeping(), 0)
})

test('a time that has passed already still lets a millisecond go by, so that no pass spins', async () => {
  const clock = new VirtualClock()
  let endedAt: number | undefined
  const due = new Wakeup(clock).next(-20, never).finally(() => {
    endedAt = clock.monoMs()
  })
  await clock.advance(5)
  assert.deepEqual([await due, endedAt], ['due', 1])
})

test('a wait ends with the reason of its signal, and the next wait is as good as new', async () => {
  const clock = new VirtualClock()
  const wakeup = new Wakeup(clock)
  const stop = new AbortController()
  const wait = wakeup.next(1_000, stop.signal)
  stop.abort(new Error('Ctrl-C'))
  await assert.rejects(wait, { message: 'Ctrl-C' })
  assert.equal(clock.sleeping(), 0)
  await assert.rejects(wakeup.next(undefined, stop.signal), { message: 'Ctrl-C' })
  wakeup.wake()
  assert.equal(await wakeup.next(undefined, never), 'changed')
})

test('two passes on one wake-up are a bug', async () => {
  const wakeup = new Wakeup(new VirtualClock())
  void wakeup.next(undefined, never)
  await assert.rejects(wakeup.next(undefined, never), { message: 'two passes wait on one wake-up' })
})

test('a wait without a time sets no timer, and one that is over leaves no listener behind', async () => {
  const clock = new VirtualClock()
  const wakeup = new Wakeup(clock)
  const { signal } = new AbortController()
  const wait = wakeup.next(undefined, signal)
  assert.equal(clock.sleeping(), 0)
  wakeup.wake()
  await wait
  assert.equal(getEventListeners(signal, 'abort').length, 0)
})

import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import { test } from 'node:test'
import { withDeadline } from '../../../src/ground/loop/deadline.ts'
import { VirtualClock } from '../../support/virtual-clock.ts'

const untilAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }))

const parts = (clock: VirtualClock, signal = new AbortController().signal) => ({
  clock,
  signal,
  limitMs: 1_000,
  what: 'lb-1',
})

test('work that answers in time leaves neither a timer nor a listener behind', async () => {
  const clock = new VirtualClock()
  const { signal } = new AbortController()
  assert.equal(await withDeadline(parts(clock, signal), async () => 7), 7)
  assert.equal(clock.sleeping(), 0)
  assert.equal(getEventListeners(signal, 'abort').length, 0)
})

test('work that has ended leaves no listener behind on a signal that is used for much work', async () => {
  const { signal } = new AbortController()
  for (let n = 0; n < 3; n += 1) await withDeadline(parts(new VirtualClock(), signal), async () => n)
  assert.equal(getEventListeners(signal, 'abort').length, 0)
})

test('work that is late is told to stop, and the error names it and the limit', async () => {
  const clock = new VirtualClock()
  let abortedBy: unknown
  const late = withDeadline(parts(clock), async (signal) => {
    await untilAborted(signal).catch((reason: unknown) => {
      abortedBy = reason
    })
    return 'too late'
  })
  const rejected = assert.rejects(late, {
    name: 'DeadlineError',
    message: 'lb-1 did not answer within 1000 ms',
    limitMs: 1_000,
  })
  await clock.advance(1_000)
  await rejected
  assert.ok(abortedBy instanceof Error)
})

test('work that ignores its signal does not hold the caller', async () => {
  const clock = new VirtualClock()
  const rejected = assert.rejects(
    withDeadline(parts(clock), () => new Promise(() => undefined)),
    { name: 'DeadlineError' },
  )
  await clock.advance(1_000)
  await rejected
})

test('the caller giving up is its own reason, not a deadline', async () => {
  const clock = new VirtualClock()
  const stop = new AbortController()
  const rejected = assert.rejects(withDeadline(parts(clock, stop.signal), untilAborted), { message: 'Ctrl-C' })
  stop.abort(new Error('Ctrl-C'))
  await rejected
  assert.equal(clock.sleeping(), 0)
  await assert.rejects(
    withDeadline(parts(clock, stop.signal), async () => 7),
    { message: 'Ctrl-C' },
  )
})

test('an error of the work is passed through unchanged', async () => {
  const clock = new VirtualClock()
  const broken = new Error('broken')
  await assert.rejects(
    withDeadline(parts(clock), () => Promise.reject(broken)),
    (error) => error === broken,
  )
  assert.equal(clock.sleeping(), 0)
})

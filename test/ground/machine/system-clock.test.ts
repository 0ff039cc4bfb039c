import assert from 'node:assert/strict'
import process from 'node:process'
import { test } from 'node:test'
import { systemClock } from '../../../src/ground/machine/system-clock.ts'
import { systemRandom } from '../../../src/ground/machine/system-random.ts'

test('a sleep lasts as long as asked, to within a millisecond of being early', async () => {
  const before = systemClock.monoMs()
  await systemClock.sleep(30, new AbortController().signal)
  assert.ok(systemClock.monoMs() - before >= 29)
})

test('an aborted sleep rejects with the reason of the signal itself', async () => {
  const reason = new Error('enough')
  const controller = new AbortController()
  const sleeping = systemClock.sleep(60_000, controller.signal)
  controller.abort(reason)
  await assert.rejects(sleeping, (error) => error === reason)
  await assert.rejects(systemClock.sleep(1, controller.signal), (error) => error === reason)
})

test('a sleep longer than a timer can be does not end at once', async () => {
  const controller = new AbortController()
  let ended = false
  const sleeping = systemClock.sleep(2 ** 32, controller.signal).finally(() => {
    ended = true
  })
  await systemClock.sleep(20, new AbortController().signal)
  assert.equal(ended, false)
  controller.abort(new Error('enough'))
  await assert.rejects(sleeping, /enough/)
})

test('a sleep until a moment that is over ends at once, and Node has nothing to warn of', async (t) => {
  const warnings: string[] = []
  const hear = ({ name }: Error): number => warnings.push(name)
  process.on('warning', hear)
  t.after(() => process.off('warning', hear))
  await systemClock.sleep(-5, new AbortController().signal)
  await new Promise((resolve) => setImmediate(resolve))
  assert.deepEqual(warnings, [])
})

test('random bytes come as lower-case hex of the length asked', () => {
  assert.match(systemRandom.hex(8), /^[0-9a-f]{16}$/)
  assert.match(systemRandom.hex(5_000), /^[0-9a-f]{10000}$/)
})

test('random bytes are not drawn twice', () => {
  const drawn = Array.from({ length: 2_000 }, () => systemRandom.hex(8))
  assert.equal(new Set(drawn).size, 2_000)
})

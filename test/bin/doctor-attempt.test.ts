import assert from 'node:assert/strict'
import { test } from 'node:test'
import { attempt } from '../../bin/doctor/attempt.ts'

const never = (): Promise<never> => new Promise(() => undefined)

test('what does not answer fails at its limit', async () => {
  const { signal } = new AbortController()
  assert.deepEqual(await attempt(signal, never, 20), { is: 'failed', text: 'no answer within 0.02 s' })
})

test('an interrupt and a bug are no findings', async () => {
  const stop = new AbortController()
  const looked = attempt(stop.signal, never)
  stop.abort(new Error('interrupted'))
  await assert.rejects(looked, /interrupted/)
  const broken = () => Promise.reject(new TypeError('a bug'))
  await assert.rejects(attempt(new AbortController().signal, broken), TypeError)
})

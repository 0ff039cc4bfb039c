import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PollLog } from '../../../src/agent/run/poll-log.ts'
import { monoMs } from '../../../src/ground/model/time.ts'

const MAX = 256

/** Polls by addresses number 0 to `count` - 1, in this order. */
function polledBy(count: number): PollLog {
  const polls = new PollLog()
  for (let number = 0; number < count; number += 1)
    polls.noted({ address: `10.0.${number >> 8}.${number & 255}`, port: 1 }, 'up', monoMs(number))
  return polls
}

test('256 addresses are remembered, and for one more the one that asked longest ago is forgotten', () => {
  assert.deepEqual([polledBy(MAX).all().length, polledBy(MAX).all()[0]?.address], [MAX, '10.0.0.0'])
  assert.deepEqual([polledBy(MAX + 1).all().length, polledBy(MAX + 1).all()[0]?.address], [MAX, '10.0.0.1'])
})

test('an address that asks again is the last that asked', () => {
  const polls = polledBy(MAX)
  polls.noted({ address: '10.0.0.0', port: 2 }, 'drain', monoMs(1_000))
  polls.noted({ address: '10.1.0.0', port: 1 }, 'drain', monoMs(1_001))
  const [first] = polls.all()
  const again = polls.all().find(({ address }) => address === '10.0.0.0')
  assert.equal(first?.address, '10.0.0.2')
  assert.deepEqual(again, { address: '10.0.0.0', port: 2, at: 1_000, answer: 'drain', total: 2, sinceAnswer: 2 })
})

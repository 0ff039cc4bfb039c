import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countRequests } from '../../bench/agent/api-requests.ts'

const line = (verb: string, stage: string): string => `${JSON.stringify({ verb, stage })}\n`

test('each request counts once, and a watch as it begins', () => {
  const log = [
    line('get', 'ResponseComplete'),
    line('watch', 'ResponseStarted'),
    line('watch', 'ResponseComplete'),
    line('list', 'ResponseComplete'),
  ]
  assert.equal(countRequests(log.join('')), 3)
  assert.equal(countRequests(`${log.join('')}{"verb":"get","st`), 3)
  assert.equal(countRequests(''), 0)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseCount } from '../../../../../src/service/actuators/haproxy/io/parse-number.ts'
import { requireDone } from '../../../../../src/service/actuators/haproxy/io/require-done.ts'
import { connectionError } from '../../../../../src/service/actuators/haproxy/io/socket-error.ts'

const REF = { instance: 'lb-1', backend: 'web', server: 'n1' }

const systemError = (code: string): Error => Object.assign(new Error(`connect ${code}`), { code })

for (const code of ['EACCES', 'EPERM']) {
  test(`a socket that is refused with ${code} is not tried again before a person has changed its mode`, () => {
    const { code: kind, retry } = connectionError(systemError(code))
    assert.deepEqual([kind, retry], ['BALANCER_PERMISSION', 'never'])
  })
}

test('a socket where no process listens is tried again', () => {
  const { code, retry, message } = connectionError(systemError('ECONNREFUSED'))
  assert.deepEqual([code, retry, message], ['BALANCER_UNREACHABLE', 'backoff', 'no process listens there'])
})

const REFUSALS = [
  ['No such backend.', 'BALANCER_NO_BACKEND', 'never', 'there is no backend web'],
  ['Proxy is disabled.', 'BALANCER_NO_BACKEND', 'never', 'backend web is disabled'],
  ['No such server.', 'BALANCER_NO_SERVER', 'never', 'web has no server n1'],
  ['Out of memory.', 'BALANCER_REPLY', 'backoff', 'a command was refused: "Out of memory."'],
] as const

for (const [text, code, retry, message] of REFUSALS) {
  test(`of two commands the refusal of the second is one too: ${text}`, () => {
    assert.throws(() => requireDone(['\n', `${text}\n`], REF), { code, retry, message })
  })
}

test('commands that succeed say nothing', () => {
  assert.doesNotThrow(() => requireDone(['', '\n'], REF))
})

test('a count that a number cannot hold exactly is no count', () => {
  assert.equal(parseCount('9007199254740991', 'sessions'), 9_007_199_254_740_991)
  for (const text of ['9007199254740992', '', '-1', '1e3', '12 ']) {
    assert.throws(() => parseCount(text, 'sessions'), { code: 'BALANCER_REPLY' }, text)
  }
})

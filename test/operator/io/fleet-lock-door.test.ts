import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { systemTimers } from '../../../src/ground/machine/system-timers.ts'
import type { OpenDoor } from '../../../src/ground/net/open-door.ts'
import { openFleetLockDoor } from '../../../src/operator/io/fleet-lock-door.ts'
import type { FleetLockCall, FleetLockReply } from '../../../src/operator/model/fleet-lock-call.ts'

const TOKEN = 'a:token of 24 signs, say'
const CALL = { client_params: { id: 'abc', group: 'default' } }
const YES: FleetLockReply = { status: 200, kind: 'may_reboot', value: 'n1 is out of service' }

describe('the door of FleetLock', () => {
  const calls: FleetLockCall[] = []
  let token: () => Promise<string> = async () => TOKEN
  let answer: (call: FleetLockCall, signal: AbortSignal) => Promise<FleetLockReply> = async () => YES
  let door: OpenDoor

  before(async () => {
    door = await openFleetLockDoor({
      place: { port: 0, host: '127.0.0.1' },
      timers: systemTimers,
      limits: { total: 16, perAddress: 16, lifeMs: 30_000 },
      requestLimitMs: 500,
      token: () => token(),
      answers: {
        answer: (call, signal) => {
          calls.push(call)
          return answer(call, signal)
        },
      },
    })
  })
  after(() => door.close())

  const credentials = (password: string) => `Basic ${Buffer.from(`node:${password}`).toString('base64')}`
  const HEAD = { 'fleet-lock-protocol': 'true', authorization: credentials(TOKEN) }

  async function heard(path: string, init: RequestInit = {}): Promise<string> {
    const response = await fetch(`http://127.0.0.1:${door.port}${path}`, {
      ...{ method: 'POST', headers: HEAD, body: JSON.stringify(CALL) },
      ...init,
    })
    const { kind } = (await response.json()) as { readonly kind: string }
    return `${response.status} ${kind}`
  }

  test('a call that has its token is answered, with what it asks', async () => {
    calls.length = 0
    assert.equal(await heard('/v1/pre-reboot'), '200 may_reboot')
    assert.equal(await heard('/v1/steady-state'), '200 may_reboot')
    assert.deepEqual(calls, [
      { verb: 'pre-reboot', id: 'abc', group: 'default' },
      { verb: 'steady-state', id: 'abc', group: 'default' },
    ])
  })

  test('nothing else gets to the answers, and each refusal says why', async () => {
    calls.length = 0
    const rows: readonly (readonly [string, string, RequestInit])[] = [
      ['404 no_such_page', '/', {}],
      ['404 no_such_page', '/v1/pre-reboot/..', {}],
      ['404 no_such_page', '/constructor', {}],
      ['405 not_post', '/v1/pre-reboot', { method: 'PUT' }],
      ['401 unauthorized', '/v1/pre-reboot', { headers: { 'fleet-lock-protocol': 'true' } }],
      ['401 unauthorized', '/v1/pre-reboot', { headers: { ...HEAD, authorization: credentials('another') } }],
      ['401 unauthorized', '/v1/pre-reboot', { headers: { ...HEAD, authorization: `Bearer ${TOKEN}` } }],
      ['401 unauthorized', '/v1/pre-reboot', { headers: { ...HEAD, authorization: 'Basic' } }],
      ['400 no_protocol', '/v1/pre-reboot', { headers: { authorization: credentials(TOKEN) } }],
      ['400 bad_request', '/v1/pre-reboot', { body: '{' }],
      ['400 bad_request', '/v1/pre-reboot', { body: '{"client_params":{"id":"abc"}}' }],
      ['413 too_long', '/v1/pre-reboot', { body: ' '.repeat(5_000) }],
    ]
    for (const [wanted, path, init] of rows) assert.equal(await heard(path, init), wanted, JSON.stringify(init))
    assert.deepEqual(calls, [])
  })

  test('without a token that can be read nobody is answered, an empty one least of all', async () => {
    calls.length = 0
    token = () => Promise.reject(new Error('gone'))
    assert.equal(await heard('/v1/pre-reboot'), '503 unknown')
    token = async () => ''
    assert.equal(
      await heard('/v1/pre-reboot', { headers: { ...HEAD, authorization: credentials('') } }),
      '401 unauthorized',
    )
    token = async () => TOKEN
    assert.deepEqual(calls, [])
  })

  test('an answer that fails is no yes', async () => {
    answer = () => Promise.reject(new Error('a bug'))
    assert.equal(await heard('/v1/pre-reboot'), '503 unknown')
    answer = async () => YES
  })

  test('a client that sends its body for ever is closed, and others are answered meanwhile', async () => {
    const slow = connect(door.port, '127.0.0.1')
    const closed = new Promise<void>((resolve) => slow.once('close', () => resolve()))
    // A socket that nobody reads never sees its end.
    slow.on('error', () => undefined).resume()
    slow.write(
      `POST /v1/pre-reboot HTTP/1.1\r\nhost: x\r\nauthorization: ${HEAD.authorization}\r\nfleet-lock-protocol: true\r\ncontent-length: 100\r\n\r\n{`,
    )
    assert.equal(await heard('/v1/pre-reboot'), '200 may_reboot')
    await closed
  })

  test('a body without a length that is too long is refused, and not kept', async () => {
    const pieces = async function* () {
      for (let piece = 0; piece < 100; piece += 1) yield Buffer.alloc(1_000, 32)
    }
    const init = { body: ReadableStream.from(pieces()), duplex: 'half' } as unknown as RequestInit
    assert.equal(await heard('/v1/pre-reboot', init), '413 too_long')
  })

  test('a door that is closed ends an answer that is under way', async () => {
    const begun = Promise.withResolvers<void>()
    const other = await openFleetLockDoor({
      place: { port: 0, host: '127.0.0.1' },
      ...{ timers: systemTimers, token: async () => TOKEN },
      answers: {
        answer: (_, signal) => {
          begun.resolve()
          return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
        },
      },
    })
    const url = `http://127.0.0.1:${other.port}/v1/pre-reboot`
    const asked = fetch(url, { method: 'POST', headers: HEAD, body: JSON.stringify(CALL) })
    await begun.promise
    await other.close()
    assert.equal((await asked).status, 503)
  })
})

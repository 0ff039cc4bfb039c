import assert from 'node:assert/strict'
import { connect as tcp } from 'node:net'
import { type TestContext, test } from 'node:test'
import { connect, type TLSSocket } from 'node:tls'
import { systemRandom } from '../../../src/ground/machine/system-random.ts'
import { systemTimers as timers } from '../../../src/ground/machine/system-timers.ts'
import { wallMs } from '../../../src/ground/model/time.ts'
import { certificates } from '../../../src/ingress/io/certificates.ts'
import { openReviewDoor } from '../../../src/ingress/io/review-door.ts'
import { askWebhook } from '../../support/webhook/ask-webhook.ts'

const HOUR_MS = 3_600_000
const made = () =>
  certificates(systemRandom).make({
    names: ['127.0.0.1'],
    from: wallMs(Date.now() - HOUR_MS),
    until: wallMs(Date.now() + HOUR_MS),
  })
const echo = async (body: string) => ({ status: 200, contentType: 'text/plain', body: `${body.length}` })

async function door(t: TestContext) {
  const opened = await openReviewDoor({ place: { port: 0, host: '127.0.0.1' }, timers, answer: echo })
  t.after(() => opened.close())
  const { certificate: cert, key, authority: bundle } = made()
  opened.present({ cert, key })
  const ask = (body: string, method?: string) =>
    askWebhook({ port: opened.port, bundle, body, ...(method === undefined ? {} : { method }) })
  return { opened, bundle, ask }
}

test('without a certificate no handshake succeeds, and with one it does, for those alone who trust its authority', async (t) => {
  const opened = await openReviewDoor({ place: { port: 0, host: '127.0.0.1' }, timers, answer: echo })
  t.after(() => opened.close())
  const { certificate: cert, key, authority: bundle } = made()
  await assert.rejects(askWebhook({ port: opened.port, bundle, body: 'a' }), /handshake|alert|reset/i)
  opened.present({ cert, key })
  assert.equal((await askWebhook({ port: opened.port, bundle, body: 'abc' })).body, '3')
  await assert.rejects(
    askWebhook({ port: opened.port, bundle: made().authority, body: 'a' }),
    /unable to verify|local issuer/,
  )
})

test('a key of another certificate is not presented, and what was shown before goes on', async (t) => {
  const { opened, ask } = await door(t)
  const [one, other] = [made(), made()]
  assert.throws(() => opened.present({ cert: one.certificate, key: other.key }), /key values mismatch/)
  assert.throws(() => opened.present({ cert: 'garbage', key: other.key }))
  assert.equal((await ask('abc')).status, 200)
})

test('ten megabytes are refused, and others are answered meanwhile and after it', async (t) => {
  const { ask } = await door(t)
  const [large, small] = await Promise.allSettled([ask('a'.repeat(10 * 1024 * 1024)), ask('abc')])
  // A client that is still writing may find the connection closed before it reads the answer.
  if (large.status === 'fulfilled') assert.equal(large.value.status, 413)
  else assert.match(String(large.reason), /EPIPE|ECONNRESET|socket hang up/)
  assert.equal(small.status === 'fulfilled' && small.value.body, '3')
  assert.equal((await ask('a'.repeat(3 * 1024 * 1024))).body, String(3 * 1024 * 1024))
})

test('only POST is answered', async (t) => {
  const { ask } = await door(t)
  assert.equal((await ask('', 'GET')).status, 405)
})

const ended = (socket: TLSSocket | ReturnType<typeof tcp>): Promise<void> =>
  new Promise((resolve) => {
    socket.on('error', () => undefined)
    socket.on('close', () => resolve())
    socket.resume()
  })

test('a client that says nothing, makes no TLS handshake or sends half a request is disconnected within seconds', async (t) => {
  const { opened, bundle, ask } = await door(t)
  const silent = tcp(opened.port, '127.0.0.1')
  const half = connect({ port: opened.port, host: '127.0.0.1', ca: bundle })
  half.write('POST /review HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n{')
  const nonsense = tcp(opened.port, '127.0.0.1').on('connect', () => nonsense.write('GET / HTTP/1.1\r\n\r\n'))
  const all = Promise.all([silent, half, nonsense].map(ended))
  assert.equal((await ask('abc')).status, 200)
  await all
})

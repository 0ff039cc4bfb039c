import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { dataPages } from '../../../src/agent/run/data-pages.ts'
import { systemTimers as timers } from '../../../src/ground/machine/system-timers.ts'
import { UserError } from '../../../src/ground/model/user-error.ts'
import { type HttpDoor, openHttpDoor } from '../../../src/ground/net/http-door.ts'
import { waitFor } from '../../../testbed/machine/wait-for.ts'

const LIMITS = { total: 40, perAddress: 30, lifeMs: 700 }
const pages = dataPages({ node: 'n1', dialect: 'plain', answerTo: () => 'up' })

async function door(t: TestContext): Promise<HttpDoor> {
  const opened = await openHttpDoor({ place: { port: 0, host: '127.0.0.1' }, timers, limits: LIMITS }, pages)
  t.after(() => opened.close())
  return opened
}

function dial(t: TestContext, { port }: HttpDoor, localAddress = '127.0.0.1'): Socket {
  const socket = connect({ port, host: '127.0.0.1', localAddress }).setEncoding('utf8')
  socket.on('error', () => socket.destroy())
  t.after(() => socket.destroy())
  return socket
}

/** All that is said to it until it is closed. */
async function replyTo(t: TestContext, at: HttpDoor, text: string): Promise<string> {
  const socket = dial(t, at)
  let heard = ''
  socket.on('data', (chunk: string) => {
    heard += chunk
  })
  socket.write(text)
  await once(socket, 'close')
  return heard
}

const get = (target: string, more = ''): string => `GET ${target} HTTP/1.1\r\nHost: n1\r\n${more}\r\n`
const head = (reply: string): string => reply.split('\r\n', 1)[0] ?? ''
const body = (reply: string): string => reply.slice(reply.indexOf('\r\n\r\n') + 4)

test('a check is answered with exact bodies, is not to be kept, and HEAD has none', async (t) => {
  const at = await door(t)
  const reply = await replyTo(t, at, get('/nodecheck'))
  assert.equal(head(reply), 'HTTP/1.1 200 OK')
  assert.equal(body(reply), 'OK')
  assert.match(reply, /^cache-control: no-store\r$/m)
  assert.match(reply, /^content-length: 2\r$/m)
  const bare = await replyTo(t, at, 'HEAD /nodecheck HTTP/1.0\r\n\r\n')
  assert.equal(body(bare), '')
  assert.match(bare, /^content-length: 2\r$/m)
  assert.equal(body(await replyTo(t, at, get('/nodename'))), 'Node: "n1"')
  assert.equal(body(await replyTo(t, at, get('http://n1:8080/nodename'))), 'Node: "n1"', 'a target as a proxy sends it')
})

test('no reply to a node that is out has the text of one that is in, wherever a balancer looks for it', async (t) => {
  for (const answer of ['drain', 'down'] as const) {
    const at = await openHttpDoor(
      { place: { port: 0, host: '127.0.0.1' }, timers },
      dataPages({ node: 'n1', dialect: 'plain', answerTo: () => answer }),
    )
    t.after(() => at.close())
    for (const dialect of ['plain', 'disable-on-404', 'body', 'f5']) {
      const reply = await replyTo(t, at, get(`/nodecheck?dialect=${dialect}`))
      assert.doesNotMatch(reply, /ok/i, `${answer} in ${dialect}`)
    }
    const f5 = await replyTo(t, at, 'GET /nodecheck?dialect=f5 HTTP/1.0\r\n\r\n')
    assert.equal(f5.includes('Drain'), answer === 'drain')
  }
  const up = await replyTo(t, await door(t), get('/nodecheck?dialect=f5'))
  assert.match(up, /OK/)
  assert.doesNotMatch(up, /drain/i)
})

test('nothing but the listed pages is ever served', async (t) => {
  const at = await door(t)
  const files = [
    '/var/run/secrets/kubernetes.io/serviceaccount/token',
    '/../../../../etc/passwd',
    '/%2e%2e/%2e%2e/etc/passwd',
    '/nodecheck/../../proc/self/environ',
    '//etc/passwd',
    '/.env',
    '/index.html',
    '/nodecheck%00.html',
    '/healthz',
    '/metrics',
  ]
  for (const file of files) assert.equal(head(await replyTo(t, at, get(file))), 'HTTP/1.1 404 Not Found', file)
  assert.match(head(await replyTo(t, at, get('http://10.0.0.1/etc/passwd'))), / 404 /)
  assert.match(head(await replyTo(t, at, get(`/nodecheck?${'a'.repeat(5_000)}`))), / 414 /)
  assert.match(head(await replyTo(t, at, get('/nodecheck?dialect=__proto__'))), / 400 /)
})

test('other methods are refused, and what they send is not waited for', async (t) => {
  const at = await door(t)
  const methods = ['POST', 'PUT', 'DELETE', 'OPTIONS', 'TRACE']
  for (const method of methods) {
    const reply = await replyTo(
      t,
      at,
      `${method} /nodecheck HTTP/1.1\r\nHost: n1\r\nContent-Length: 1000000000\r\n\r\n`,
    )
    assert.match(head(reply), / 405 /, method)
  }
  assert.equal(await replyTo(t, at, 'CONNECT n1:443 HTTP/1.1\r\nHost: n1\r\n\r\n'), '')
})

test('nonsense is answered as such or closed, and heads without end, too', async (t) => {
  const at = await door(t)
  const replies = [
    await replyTo(t, at, 'how do you do?\r\n\r\n'),
    await replyTo(t, at, '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'),
    await replyTo(t, at, get('/nodecheck', `X: ${'a'.repeat(20_000)}\r\n`)),
    await replyTo(t, at, get('/nodecheck', Array.from({ length: 3_000 }, (_, i) => `X${i}: a\r\n`).join(''))),
    await replyTo(
      t,
      at,
      'GET /nodecheck HTTP/1.1\r\nHost: n1\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n',
    ),
  ]
  for (const reply of replies) assert.match(head(reply), /^$| 4\d\d /)
})

test('of requests that are sent at once only the first is answered', async (t) => {
  const reply = await replyTo(t, await door(t), get('/nodecheck').repeat(50))
  assert.equal(reply.match(/HTTP\/1\.1/g)?.length, 1)
})

test('a client that is silent or slow is closed, while others are answered', async (t) => {
  const at = await door(t)
  const silent = Array.from({ length: 10 }, () => dial(t, at))
  const ends = silent.map((socket) => once(socket, 'close'))
  for (const socket of silent) socket.write('GET /nodecheck HT')
  assert.match(head(await replyTo(t, at, get('/nodecheck'))), / 200 /)
  await Promise.all(ends)
})

test('a client that opens more connections than the limit loses the oldest, and a check is still answered', async (t) => {
  const at = await door(t)
  const flood = Array.from({ length: 200 }, () => dial(t, at))
  const isOpen = (socket: Socket): boolean => !socket.destroyed
  await waitFor({ what: 'most to be closed', limitMs: 5_000, everyMs: 5 }, async () =>
    at.dropped() >= 170 ? true : undefined,
  )
  assert.match(head(await replyTo(t, at, get('/nodecheck'))), / 200 /)
  assert.ok(flood.filter(isOpen).length <= LIMITS.perAddress)
})

test('where all clients together open more connections than may be open, the client with most of them loses its oldest', async (t) => {
  const at = await door(t)
  const from = (localAddress: string, count: number): readonly Socket[] =>
    Array.from({ length: count }, () => dial(t, at, localAddress))
  const few = from('127.0.0.4', 5)
  await Promise.all(few.map((socket) => once(socket, 'connect')))
  const many = [...from('127.0.0.2', 25), ...from('127.0.0.3', 25)]
  await waitFor({ what: 'too many to be dropped', limitMs: 5_000, everyMs: 5 }, async () =>
    at.dropped() === few.length + many.length - LIMITS.total ? true : undefined,
  )
  assert.deepEqual(
    few.map((socket) => socket.destroyed),
    few.map(() => false),
  )
  assert.match(head(await replyTo(t, at, get('/nodecheck'))), / 200 /)
})

test('a port that is taken is said with who has it', async (t) => {
  const { port } = await door(t)
  await assert.rejects(openHttpDoor({ place: { port, host: '127.0.0.1' }, timers }, pages), (error) => {
    assert.ok(error instanceof UserError)
    assert.equal(error.code, 'PORT_TAKEN')
    assert.match(error.message, new RegExp(`^port ${port} is taken by \\S+ \\(pid ${process.pid}\\)$`))
    return true
  })
})

test('two processes may listen at once, so that one replaces the other without a gap', async (t) => {
  const place = { port: 0, host: '127.0.0.1', reusePort: true }
  const first = await openHttpDoor({ place, timers }, pages)
  const second = await openHttpDoor({ place: { ...place, port: first.port }, timers }, pages)
  t.after(() => second.close())
  await first.close()
  assert.match(head(await replyTo(t, second, get('/nodecheck'))), / 200 /)
})

test('connections that are over leave room for others', async (t) => {
  const at = await door(t)
  for (let check = 0; check < LIMITS.total + 5; check += 1)
    assert.equal(head(await replyTo(t, at, get('/nodecheck'))), 'HTTP/1.1 200 OK')
  assert.equal(at.dropped(), 0)
})

test('a page that cannot be made ends its connection at once, without an answer', { timeout: 30_000 }, async (t) => {
  const failing = () => Promise.reject(new Error('a bug'))
  const opened = await openHttpDoor(
    { place: { port: 0, host: '127.0.0.1' }, timers, limits: { ...LIMITS, lifeMs: 600_000 } },
    failing,
  )
  t.after(() => opened.close())
  assert.equal(await replyTo(t, opened, get('/')), '')
})

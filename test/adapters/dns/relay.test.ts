import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { addressBytes, FRAME, frame } from '../../../src/adapters/dns/relay/frames.ts'
import { openRelay } from '../../../src/adapters/dns/relay/open-relay.ts'
import { RelayedAsker } from '../../../src/adapters/dns/relay/relayed-asker.ts'
import { RelayedSockets } from '../../../src/adapters/dns/relay/relayed-sockets.ts'
import { OWN_SOCKETS } from '../../../src/adapters/dns/sockets.ts'
import { systemClock as clock } from '../../../src/adapters/node/system-clock.ts'
import { systemRandom as random } from '../../../src/adapters/node/system-random.ts'
import type { DnsOutcome } from '../../../src/model/dns.ts'
import type { DnsQuery } from '../../../src/ports/dns-asker.ts'
import { FakeDnsServer, reply } from '../../support/dns/fake-dns-server.ts'
import { ephemeralPort } from '../../support/ephemeral-port.ts'

const never = new AbortController().signal
const QUESTION = { name: 'kubernetes.default.svc.cluster.local', type: 'A', class: 'IN' } as const
const ADDRESS = { type: 'A', name: QUESTION.name, ttl: 5, data: '10.96.0.1' } as const
const SOON_MS = 200
const ENOUGH_MS = 5_000

/** A relay on loopback, and a connection to it. */
async function relay(t: TestContext, idleLimitMs = ENOUGH_MS) {
  const stop = new AbortController()
  const opened = await openRelay({ port: 0, idleLimitMs, sockets: OWN_SOCKETS, clock })
  const done = opened.done(stop.signal).catch(() => undefined)
  const stream = connect(opened.port, '127.0.0.1')
  t.after(() => {
    stop.abort(new Error('the test is over'))
    stream.destroy()
    return done
  })
  return { port: opened.port, stream, done, stop: () => stop.abort(new Error('the relay is evicted')) }
}

const askerOver = (stream: Socket): RelayedAsker =>
  new RelayedAsker({ sockets: new RelayedSockets(stream), clock, random })

const ask = (asker: RelayedAsker, port: number, way: Partial<DnsQuery> = {}): Promise<DnsOutcome> =>
  asker.ask(
    { at: { address: '127.0.0.1', port }, question: QUESTION, over: 'udp', timeoutMs: ENOUGH_MS, ...way },
    never,
  )

for (const way of [{}, { socket: 'unconnected' }, { over: 'tcp' }] as const) {
  test(`a relay asks over ${JSON.stringify(way)}, and the reply is read as if it were asked from here`, async (t) => {
    const server = await FakeDnsServer.of(t)
    server.answering = (query) => [{ bytes: reply(query, { answers: [ADDRESS] }) }]
    const outcome = await ask(askerOver((await relay(t)).stream), server.port, way)
    assert.ok(outcome.kind === 'reply', JSON.stringify(outcome))
    assert.deepEqual([outcome.reply.rcode, outcome.reply.answers[0]?.data], ['NOERROR', '10.96.0.1'])
  })
}

test('what the relay’s own sockets hear is told apart: nothing listens, silence, another source, another id', async (t) => {
  const asker = askerOver((await relay(t)).stream)
  assert.deepEqual(await ask(asker, await ephemeralPort()), { kind: 'refused' })
  assert.deepEqual(await ask(asker, await ephemeralPort(), { over: 'tcp' }), { kind: 'refused' })
  const server = await FakeDnsServer.of(t)
  server.answering = () => []
  assert.deepEqual(await ask(asker, server.port, { timeoutMs: SOON_MS }), { kind: 'timeout' })
  server.answering = (query) => [{ bytes: reply(query), fromElsewhere: true }]
  const elsewhere = await ask(asker, server.port, { socket: 'unconnected' })
  assert.equal(elsewhere.kind, 'wrongSource')
  server.answering = (query) => {
    const bytes = Buffer.from(reply(query))
    bytes.writeUInt16BE((bytes.readUInt16BE(0) + 1) & 0xffff, 0)
    return [{ bytes }]
  }
  const other = await ask(asker, server.port, { timeoutMs: SOON_MS })
  assert.deepEqual(other, { kind: 'mismatch', what: 'id', count: 1 })
})

test('each query leaves from a port of its own, and those of a canary from one', async (t) => {
  const asker = askerOver((await relay(t)).stream)
  const server = await FakeDnsServer.of(t)
  for (let i = 0; i < 3; i += 1) await ask(asker, server.port)
  const canary = asker.canary({ address: '127.0.0.1', port: server.port })
  for (let i = 0; i < 3; i += 1) assert.equal((await canary.ask(QUESTION, ENOUGH_MS, never)).kind, 'reply')
  canary.close()
  const ports = server.asked.map(({ port }) => port)
  assert.deepEqual([new Set(ports.slice(0, 3)).size, new Set(ports.slice(3)).size], [3, 1])
})

test('many queries at once are not mixed up', async (t) => {
  const asker = askerOver((await relay(t)).stream)
  const servers = await Promise.all(Array.from({ length: 4 }, () => FakeDnsServer.of(t)))
  for (const [at, server] of servers.entries())
    server.answering = (query) => [{ bytes: reply(query, { answers: [{ ...ADDRESS, data: `10.96.0.${at}` }] }) }]
  const asked = Array.from({ length: 400 }, (_, at) => at % servers.length)
  const outcomes = await Promise.all(asked.map((at) => ask(asker, servers[at]?.port ?? 0)))
  assert.deepEqual(
    outcomes.map((one) => (one.kind === 'reply' ? one.reply.answers[0]?.data : one.kind)),
    asked.map((at) => `10.96.0.${at}`),
  )
})

test('a relay that is lost in mid-query says nothing of DNS, nor do queries after it', async (t) => {
  const { stream, stop } = await relay(t)
  const asker = askerOver(stream)
  const server = await FakeDnsServer.of(t)
  server.answering = () => {
    stop()
    return []
  }
  const outcomes = [
    await ask(asker, server.port),
    await ask(asker, server.port),
    await ask(asker, server.port, { over: 'tcp' }),
  ]
  for (const outcome of outcomes) {
    assert.ok(outcome.kind === 'notAsked', JSON.stringify(outcome))
    assert.match(outcome.text, /the relay was lost/)
  }
})

test('a way to the relay that stands still is not taken for a DNS server that is silent', async (t) => {
  const stalled = createServer(() => undefined).listen(0, '127.0.0.1')
  await once(stalled, 'listening')
  const stream = connect((stalled.address() as { port: number }).port, '127.0.0.1')
  t.after(() => {
    stream.destroy()
    stalled.close()
  })
  const outcome = await ask(askerOver(stream), 53, { timeoutMs: SOON_MS })
  assert.deepEqual(outcome, { kind: 'notAsked', text: `the relay did not answer within ${SOON_MS / 2} ms` })
})

const SENSELESS: Readonly<Record<string, Buffer>> = {
  'a frame shorter than its head': Buffer.of(0, 2, 1, 1),
  'a name in the place of an address': frame(1, FRAME.openUdp, addressBytes({ address: 'localhost', port: 53 })),
  'an address that is cut': frame(1, FRAME.openUdp, addressBytes({ address: '127.0.0.1', port: 53 }).subarray(0, 5)),
  'two sockets of one number': Buffer.concat(
    [1, 1].map((at) => frame(at, FRAME.openUdp, addressBytes({ address: '127.0.0.1', port: 53 }))),
  ),
  'what no socket understands': Buffer.concat([
    frame(1, FRAME.openUdp, addressBytes({ address: '127.0.0.1', port: 53 })),
    frame(1, 99),
  ]),
}

for (const [what, bytes] of Object.entries(SENSELESS))
  test(`${what} ends the connection, and the relay serves the next one`, async (t) => {
    const { port, stream } = await relay(t)
    stream.on('error', () => undefined)
    stream.write(bytes)
    await once(stream, 'close')
    const next = connect(port, '127.0.0.1')
    t.after(() => next.destroy())
    const server = await FakeDnsServer.of(t)
    assert.equal((await ask(askerOver(next), server.port)).kind, 'reply')
  })

test('frames of a hostile relay, random ones, crash nothing and are taken for no reply', async (t) => {
  const hostile = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.on('data', () => {
      const is = Object.values(FRAME)[Math.floor(random.next() * Object.keys(FRAME).length)] ?? 0
      socket.write(
        frame(1 + Math.floor(random.next() * 4), is, Buffer.from(random.hex(Math.floor(random.next() * 40)), 'hex')),
      )
    })
  }).listen(0, '127.0.0.1')
  await once(hostile, 'listening')
  t.after(() => hostile.close())
  for (let i = 0; i < 50; i += 1) {
    const stream = connect((hostile.address() as { port: number }).port, '127.0.0.1')
    const asker = askerOver(stream)
    const outcomes = await Promise.all(
      [{}, { socket: 'unconnected' }, { over: 'tcp' }].map((way) =>
        ask(asker, 53, { timeoutMs: 20, ...(way as Partial<DnsQuery>) }),
      ),
    )
    stream.destroy()
    assert.ok(
      outcomes.every(({ kind }) => kind !== 'reply'),
      JSON.stringify(outcomes),
    )
  }
})

test('without a connection for its limit a relay is done, and not while there is one', async (t) => {
  const idleLimitMs = 100
  const { stream, done } = await relay(t, idleLimitMs)
  const sockets = new RelayedSockets(stream)
  await sockets.answers(never)
  const isDone = done.then(() => true)
  const later = clock.sleep(idleLimitMs * 3, never).then(() => false)
  assert.equal(await Promise.race([isDone, later]), false)
  sockets.close()
  assert.equal(await isDone, true)
})

test('a check that has gone leaves no socket of the relay open', async (t) => {
  let open = 0
  const counted = {
    ...OWN_SOCKETS,
    udp: (at: { address: string; port: number }) => {
      open += 1
      const socket = OWN_SOCKETS.udp(at)
      const close = socket.close.bind(socket)
      return Object.assign(socket, {
        close: () => {
          open -= 1
          close()
        },
      })
    },
  }
  const stop = new AbortController()
  const opened = await openRelay({ port: 0, idleLimitMs: 500, sockets: counted, clock })
  const done = opened.done(stop.signal)
  const stream = connect(opened.port, '127.0.0.1')
  const server = await FakeDnsServer.of(t)
  server.answering = () => []
  const asker = askerOver(stream)
  const asked = Array.from({ length: 20 }, () => ask(asker, server.port))
  while (server.asked.length === 0) await clock.sleep(5, never)
  assert.ok(open > 0)
  stream.destroy()
  await Promise.all(asked)
  await done
  assert.equal(open, 0)
})

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { type TestContext, test } from 'node:test'
import { FRAME, frame } from '../../../src/dns/io/relay/frames.ts'
import { openRelay } from '../../../src/dns/io/relay/open-relay.ts'
import { RelayedSockets } from '../../../src/dns/io/relay/relayed-sockets.ts'
import { OWN_SOCKETS } from '../../../src/dns/io/sockets.ts'
import type { DnsQuery } from '../../../src/dns/ports/dns-asker.ts'
import { systemClock as clock } from '../../../src/ground/machine/system-clock.ts'
import { systemRandom as random } from '../../../src/ground/machine/system-random.ts'
import { FakeDnsServer } from '../../support/dns/fake-dns-server.ts'
import { ask, askerOver, relayContract } from '../../support/dns/relay-contract.ts'

const never = new AbortController().signal
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

relayContract('a relay of this program', relay)

test('a connection that is ended for a senseless frame is not the last one that a relay serves', async (t) => {
  const { port, stream } = await relay(t)
  stream.on('error', () => undefined)
  stream.write(Buffer.of(0, 2, 1, 1))
  await once(stream, 'close')
  const next = connect(port, '127.0.0.1')
  t.after(() => next.destroy())
  const server = await FakeDnsServer.of(t)
  assert.equal((await ask(askerOver(next), server.port)).kind, 'reply')
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

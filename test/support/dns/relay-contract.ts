import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer as createHttps } from 'node:https'
import { type AddressInfo, createServer } from 'node:net'
import type { Duplex } from 'node:stream'
import { describe, type TestContext, test } from 'node:test'
import { ApiControl } from '../../../src/dns/io/api-control.ts'
import { addressBytes, FRAME, frame, readFrames } from '../../../src/dns/io/relay/frames.ts'
import { RelayedAsker } from '../../../src/dns/io/relay/relayed-asker.ts'
import { RelayedSockets } from '../../../src/dns/io/relay/relayed-sockets.ts'
import type { DnsOutcome } from '../../../src/dns/model/dns.ts'
import type { DnsQuery } from '../../../src/dns/ports/dns-asker.ts'
import { systemClock as clock } from '../../../src/ground/machine/system-clock.ts'
import { systemRandom as random } from '../../../src/ground/machine/system-random.ts'
import { newAuthority } from '../../../testbed/pki/authority.ts'
import { ephemeralPort } from '../ephemeral-port.ts'
import { FakeDnsServer, reply } from './fake-dns-server.ts'

const never = new AbortController().signal
const QUESTION = { name: 'kubernetes.default.svc.cluster.local', type: 'A', class: 'IN' } as const
const ADDRESS = { type: 'A', name: QUESTION.name, ttl: 5, data: '10.96.0.1' } as const
const SOON_MS = 200
const ENOUGH_MS = 5_000
/** What a relay holds at once. */
const SOCKETS_MAX = 1_024
const AT = { address: '127.0.0.1', port: 53 } as const
const { certificatePem: cert, keyPem: key } = newAuthority().issue({ commonName: 'api' }, { names: ['kubernetes'] })
const CERTIFICATE = { cert, key }

interface RelayAtHand {
  readonly stream: Duplex
  /** Ends the relay. */
  readonly stop: () => unknown
}

export const askerOver = (stream: Duplex): RelayedAsker =>
  new RelayedAsker({ sockets: new RelayedSockets(stream), clock, random })

export const ask = (asker: RelayedAsker, port: number, way: Partial<DnsQuery> = {}): Promise<DnsOutcome> =>
  asker.ask(
    { at: { address: '127.0.0.1', port }, question: QUESTION, over: 'udp', timeoutMs: ENOUGH_MS, ...way },
    never,
  )

const SENSELESS: Readonly<Record<string, Buffer>> = {
  'a frame shorter than its head': Buffer.of(0, 2, 1, 1),
  'a name in the place of an address': frame(1, FRAME.openUdp, addressBytes({ address: 'localhost', port: 53 })),
  'an address that is cut': frame(1, FRAME.openUdp, addressBytes(AT).subarray(0, 5)),
  'two sockets of one number': Buffer.concat([1, 1].map((at) => frame(at, FRAME.openUdp, addressBytes(AT)))),
  'what no socket understands': Buffer.concat([frame(1, FRAME.openUdp, addressBytes(AT)), frame(1, 99)]),
}

/** What every relay does, whatever program it is: `relay` is to be one of its own for each test. */
export function relayContract(
  name: string,
  relay: (t: TestContext) => Promise<RelayAtHand>,
  options: { readonly skip?: string | false } = {},
): void {
  describe(name, options, () => {
    for (const way of [{}, { socket: 'unconnected' }, { over: 'tcp' }] as const) {
      test(`a relay asks over ${JSON.stringify(way)}, and the reply is read as if it were asked from here`, async (t) => {
        const server = await FakeDnsServer.of(t)
        server.answering = (query) => [{ bytes: reply(query, { answers: [ADDRESS] }) }]
        const outcome = await ask(askerOver((await relay(t)).stream), server.port, way)
        assert.ok(outcome.kind === 'reply', JSON.stringify(outcome))
        assert.deepEqual([outcome.reply.rcode, outcome.reply.answers[0]?.data], ['NOERROR', '10.96.0.1'])
      })
    }

    test('what the relay’s own sockets hear is distinguished: nothing listens, silence, another source, another id', async (t) => {
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

    test('an answer as long as one over TCP can be comes whole', async (t) => {
      const asker = askerOver((await relay(t)).stream)
      const server = await FakeDnsServer.of(t)
      const answers = Array.from({ length: 250 }, () => ({
        type: 'TXT' as const,
        name: 'x',
        ttl: 5,
        data: 'y'.repeat(240),
      }))
      server.answeringTcp = (query) => [{ bytes: reply(query, { answers }) }]
      const outcome = await ask(asker, server.port, { over: 'tcp' })
      assert.equal(outcome.kind === 'reply' ? outcome.reply.answers.length : outcome.kind, 250)
    })

    test('a megabyte goes both ways at once over one connection', async (t) => {
      const echo = createServer((socket) => socket.on('error', () => undefined).pipe(socket)).listen(0, '127.0.0.1')
      await once(echo, 'listening')
      t.after(() => echo.close())
      const { port } = echo.address() as AddressInfo
      const connection = new RelayedSockets((await relay(t)).stream).tcp({ address: '127.0.0.1', port })
      const sent = Buffer.from(random.hex(1024 * 1024), 'hex')
      connection.write(sent)
      const received: Buffer[] = []
      for await (const bytes of connection) {
        received.push(bytes)
        if (received.reduce((sum, { length }) => sum + length, 0) >= sent.length) break
      }
      assert.ok(Buffer.concat(received).equals(sent))
    })

    test('an API server answers through it, over TLS, though it closes with its answer; what only closes is none', async (t) => {
      const server = createHttps(CERTIFICATE, (_request, response) => response.end('{"gitVersion":"v1.35.4"}'))
      server.listen(0, '127.0.0.1')
      await once(server, 'listening')
      t.after(() => server.close())
      const { port } = server.address() as AddressInfo
      const control = new ApiControl(new RelayedSockets((await relay(t)).stream))
      assert.equal(await control.reaches({ address: '127.0.0.1', port }, never), true)
      assert.equal(await control.reaches({ address: '127.0.0.1', port: await ephemeralPort() }, never), false)
      const closing = createServer((socket) => socket.end()).listen(0, '127.0.0.1')
      await once(closing, 'listening')
      t.after(() => closing.close())
      const at = { address: '127.0.0.1', port: (closing.address() as AddressInfo).port }
      assert.equal(await control.reaches(at, never), false)
    })

    test('an address of IPv6 is asked as well', async (t) => {
      const server = await FakeDnsServer.of(t, '::1')
      const asker = askerOver((await relay(t)).stream)
      for (const way of [{}, { socket: 'unconnected' }, { over: 'tcp' }] as const) {
        const outcome = await ask(asker, 0, { ...way, at: { address: '::1', port: server.port } })
        assert.equal(outcome.kind, 'reply', JSON.stringify({ way, outcome }))
      }
    })

    test('a relay refuses more sockets than it holds, and serves those that it has', async (t) => {
      const { stream } = await relay(t)
      const refused = new Map<number, string>()
      const { promise: answered, resolve } = Promise.withResolvers<void>()
      readFrames(stream, ({ socket, is, rest }) => {
        if (is === FRAME.error) refused.set(socket, rest.toString())
        if (is === FRAME.pong) resolve()
      })
      for (let at = 1; at <= SOCKETS_MAX + 1; at += 1) stream.write(frame(at, FRAME.openUdp, addressBytes(AT)))
      stream.write(frame(1, FRAME.ping))
      await answered
      assert.deepEqual([...refused], [[SOCKETS_MAX + 1, 'EMFILE']])
    })

    for (const [what, bytes] of Object.entries(SENSELESS))
      test(`${what} ends the connection`, async (t) => {
        const { stream } = await relay(t)
        const { promise: closed, resolve } = Promise.withResolvers<void>()
        // What it ends with is its own affair.
        stream
          .on('error', () => undefined)
          .once('close', resolve)
          .resume()
        stream.write(bytes)
        await closed
      })
  })
}

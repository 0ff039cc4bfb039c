import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import process from 'node:process'
import { describe, type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { encode } from 'dns-packet'
import { SocketAsker } from '../../../src/dns/io/socket-asker.ts'
import type { DnsOutcome, DnsQuestion } from '../../../src/dns/model/dns.ts'
import { systemClock } from '../../../src/ground/machine/system-clock.ts'
import { systemRandom } from '../../../src/ground/machine/system-random.ts'
import { FakeDnsServer, reply, type Told } from '../../support/dns/fake-dns-server.ts'
import { ephemeralPort } from '../../support/ephemeral-port.ts'
import { requires } from '../../support/requires.ts'

const never = new AbortController().signal
const KUBERNETES: DnsQuestion = { name: 'kubernetes.default.svc.cluster.local', type: 'A', class: 'IN' }
const ADDRESS = { type: 'A', name: KUBERNETES.name, ttl: 5, data: '10.96.0.1' } as const
const SOON_MS = 150
const ENOUGH_MS = 5_000

const asker = new SocketAsker(systemClock, systemRandom)

interface Way {
  readonly over?: 'udp' | 'tcp'
  readonly socket?: 'connected' | 'unconnected'
  readonly question?: DnsQuestion
  readonly timeoutMs?: number
}

function ask(
  port: number,
  { over = 'udp', question = KUBERNETES, timeoutMs = ENOUGH_MS, ...way }: Way = {},
): Promise<DnsOutcome> {
  return asker.ask({ at: { address: '127.0.0.1', port }, question, over, timeoutMs, ...way }, never)
}

async function answeredBy(t: TestContext, answering: (query: Buffer) => Told, way: Way = {}): Promise<DnsOutcome> {
  const server = await FakeDnsServer.of(t)
  server.answering = answering
  return ask(server.port, way)
}

const datagrams = (...messages: readonly Buffer[]): Told => messages.map((bytes) => ({ bytes }))

function changed(bytes: Buffer, change: (bytes: Buffer) => void): Buffer {
  const copy = Buffer.from(bytes)
  change(copy)
  return copy
}

const otherId = (bytes: Buffer): Buffer =>
  changed(bytes, (copy) => copy.writeUInt16BE((copy.readUInt16BE(0) + 1) & 0xffff, 0))

for (const way of [{}, { socket: 'unconnected' }, { over: 'tcp' }] as const) {
  test(`a server is asked and read over ${JSON.stringify(way)}`, async (t) => {
    const outcome = await answeredBy(t, (query) => datagrams(reply(query, { answers: [ADDRESS] })), way)
    assert.ok(outcome.kind === 'reply', outcome.kind)
    const { rcode, authoritative, truncated, answers } = outcome.reply
    assert.deepEqual([rcode, authoritative, truncated], ['NOERROR', true, false])
    assert.deepEqual(answers, [{ name: KUBERNETES.name, type: 'A', ttlSeconds: 5, data: '10.96.0.1' }])
    assert.ok(outcome.afterMs >= 0 && outcome.afterMs < ENOUGH_MS)
  })
}

test('each query leaves from a port of its own with an id of its own; those of a canary share the port', async (t) => {
  const server = await FakeDnsServer.of(t)
  const ids = new Set<number>()
  server.answering = (query) => {
    ids.add(query.readUInt16BE(0))
    return datagrams(reply(query))
  }
  for (let i = 0; i < 20; i += 1) await ask(server.port)
  assert.ok(new Set(server.asked.map(({ port }) => port)).size >= 15)
  assert.ok(ids.size >= 19)
  server.asked.length = 0
  const canary = asker.canary({ address: '127.0.0.1', port: server.port })
  t.after(() => canary.close())
  for (let i = 0; i < 5; i += 1) assert.equal((await canary.ask(KUBERNETES, ENOUGH_MS, never)).kind, 'reply')
  assert.equal(new Set(server.asked.map(({ port }) => port)).size, 1)
  assert.equal(server.asked.length, 5)
})

test('a name is asked for as a whole one, and IDs of servers and extended errors are asked for and read', async (t) => {
  const server = await FakeDnsServer.of(t)
  const options = [
    { code: 3, data: Buffer.from('coredns-1') },
    { code: 15, data: Buffer.from([0, 23, 0x6e, 0x6f]) },
  ]
  const opt = {
    name: '.',
    type: 'OPT',
    udpPayloadSize: 1232,
    extendedRcode: 1,
    ednsVersion: 0,
    flags: 0,
    flag_do: false,
    options,
  }
  server.answering = (query) => datagrams(reply(query, { additionals: [opt as never], rcode: 7 }))
  const outcome = await ask(server.port)
  assert.ok(outcome.kind === 'reply')
  const { rcode, nsid, extendedErrors } = outcome.reply
  assert.deepEqual([rcode, nsid, extendedErrors], ['RCODE23', 'coredns-1', [{ code: 23, text: 'no' }]])
  assert.equal(server.asked[0]?.name, KUBERNETES.name)
})

test('a truncated reply is one over UDP, and is not asked for over TCP unseen', async (t) => {
  const server = await FakeDnsServer.of(t)
  server.answering = (query) => datagrams(reply(query, { flags: 0x200 }))
  const outcome = await ask(server.port)
  assert.ok(outcome.kind === 'reply' && outcome.reply.truncated)
  assert.deepEqual(
    server.asked.map(({ over }) => over),
    ['udp'],
  )
})

test('where nothing listens a connected socket hears it at once, over UDP and TCP; one that is not connected waits', async () => {
  const port = await ephemeralPort()
  for (const way of [{}, { over: 'tcp' }] as const) assert.deepEqual(await ask(port, way), { kind: 'refused' })
  assert.deepEqual(await ask(port, { socket: 'unconnected', timeoutMs: SOON_MS }), { kind: 'timeout' })
})

test('a reply from another port is not seen by a connected socket, and is reported by one that is not', async (t) => {
  const answering = (query: Buffer): Told => [{ bytes: reply(query, { answers: [ADDRESS] }), fromElsewhere: true }]
  assert.deepEqual(await answeredBy(t, answering, { timeoutMs: SOON_MS }), { kind: 'timeout' })
  const outcome = await answeredBy(t, answering, { socket: 'unconnected' })
  assert.ok(outcome.kind === 'wrongSource')
  assert.match(outcome.from, /^127\.0\.0\.1 port \d+$/)
})

const LIES: readonly (readonly [
  what: string,
  of: 'id' | 'question' | 'query' | 'format',
  lie: (query: Buffer) => Buffer,
])[] = [
  ['another id', 'id', (query) => otherId(reply(query, { answers: [ADDRESS] }))],
  ['another question', 'question', (query) => reply(query, { questions: [{ type: 'A', name: 'other.test' }] })],
  ['another type', 'question', (query) => reply(query, { questions: [{ type: 'AAAA', name: KUBERNETES.name }] })],
  [
    'another class',
    'question',
    (query) => reply(query, { questions: [{ type: 'A', name: KUBERNETES.name, class: 'CH' }] }),
  ],
  ['no question', 'question', (query) => reply(query, { questions: [] })],
  ['the query itself', 'query', (query) => query],
  [
    'a count of answers that are not there',
    'format',
    (query) => changed(reply(query), (bytes) => bytes.writeUInt16BE(9, 6)),
  ],
  [
    'a name that points to itself',
    'format',
    (query) => changed(reply(query), (bytes) => bytes.writeUInt16BE(0xc00c, 12)),
  ],
  ['half a message', 'format', (query) => reply(query, { answers: [ADDRESS] }).subarray(0, 30)],
  ['half a header', 'format', (query) => reply(query).subarray(0, 5)],
  ['nothing', 'format', () => Buffer.alloc(0)],
]

for (const [what, of, lie] of LIES) {
  test(`a server that answers with ${what} has not answered, and a true reply behind it counts`, async (t) => {
    const once = await answeredBy(t, (query) => datagrams(lie(query), lie(query)), { timeoutMs: SOON_MS })
    assert.deepEqual(once, { kind: 'mismatch', what: of, count: 2 })
    const then = await answeredBy(t, (query) => datagrams(lie(query), reply(query, { answers: [ADDRESS] })))
    assert.equal(then.kind, 'reply')
  })
}

test('a reply that comes too late is none, and is not taken for that to the next query of a canary', async (t) => {
  const server = await FakeDnsServer.of(t)
  let late: Buffer | undefined
  server.answering = (query) => {
    const before = late
    late = reply(query, { answers: [{ ...ADDRESS, data: '10.0.0.66' }] })
    return before === undefined ? [] : datagrams(before, reply(query, { answers: [ADDRESS] }))
  }
  const canary = asker.canary({ address: '127.0.0.1', port: server.port })
  t.after(() => canary.close())
  assert.equal((await canary.ask(KUBERNETES, SOON_MS, never)).kind, 'timeout')
  const next = await canary.ask(KUBERNETES, ENOUGH_MS, never)
  assert.ok(next.kind === 'reply')
  assert.equal(next.reply.answers[0]?.data, '10.96.0.1')
})

test('over TCP a server that closes, goes silent or lies about the length is distinguished', async (t) => {
  const server = await FakeDnsServer.of(t)
  server.answeringTcp = () => []
  assert.deepEqual(await ask(server.port, { over: 'tcp', timeoutMs: SOON_MS }), { kind: 'timeout' })
  server.answeringTcp = (query) => datagrams(otherId(reply(query)))
  assert.deepEqual(await ask(server.port, { over: 'tcp' }), { kind: 'mismatch', what: 'id', count: 1 })
  server.answeringTcp = () => datagrams(encode({ type: 'response', id: 1, questions: [] }).subarray(0, 4))
  assert.deepEqual(await ask(server.port, { over: 'tcp' }), { kind: 'mismatch', what: 'format', count: 1 })
})

test('an abort ends a wait with its reason, and leaves no socket open', async (t) => {
  const server = await FakeDnsServer.of(t)
  server.answering = () => []
  const reason = new Error('enough')
  for (const way of [{ over: 'udp' }, { over: 'udp', socket: 'unconnected' }, { over: 'tcp' }] as const) {
    const stop = new AbortController()
    const waiting = asker.ask(
      { at: { address: '127.0.0.1', port: server.port }, question: KUBERNETES, timeoutMs: ENOUGH_MS, ...way },
      stop.signal,
    )
    setTimeout(() => stop.abort(reason), 20)
    await assert.rejects(waiting, reason)
  }
})

test('IPv6 is asked as well', async (t) => {
  const server = await FakeDnsServer.of(t, '::1')
  server.answering = (query) => datagrams(reply(query, { answers: [ADDRESS] }))
  for (const way of [{}, { socket: 'unconnected' }] as const) {
    const at = { address: '::1', port: server.port }
    const outcome = await asker.ask({ at, question: KUBERNETES, over: 'udp', timeoutMs: ENOUGH_MS, ...way }, never)
    assert.equal(outcome.kind, 'reply')
  }
})

describe('in a network of its own', requires('iptables'), () => {
  const ASKER = new URL('../../../src/dns/io/socket-asker.ts', import.meta.url).href
  const MACHINE = new URL('../../../src/ground/machine/', import.meta.url).href
  const script = (address: string): string => `
    import { SocketAsker } from '${ASKER}'
    import { systemClock } from '${MACHINE}system-clock.ts'
    import { systemRandom } from '${MACHINE}system-random.ts'
    const asker = new SocketAsker(systemClock, systemRandom)
    const query = { at: { address: '${address}', port: 5301 }, question: ${JSON.stringify(KUBERNETES)}, timeoutMs: 300 }
    for (const way of [{ over: 'udp' }, { over: 'udp', socket: 'unconnected' }, { over: 'tcp' }])
      console.log((await asker.ask({ ...query, ...way }, new AbortController().signal)).kind)`

  /** How it ends there: from a connected socket, from one that is not, and over TCP. */
  async function asked(setup: string, address: string): Promise<readonly string[]> {
    const node = [
      process.execPath,
      '--disable-warning=ExperimentalWarning',
      '--input-type=module',
      '-e',
      script(address),
    ]
    const run = promisify(execFile)
    const { stdout } = await run('unshare', ['-n', 'sh', '-c', `ip link set lo up; ${setup}; exec "$0" "$@"`, ...node])
    return stdout.trim().split('\n')
  }

  test('a firewall on the way that rejects IPv6 is silence: the query was sent', async () => {
    const reject = 'ip6tables -A INPUT -p udp --dport 5301 -j REJECT --reject-with icmp6-adm-prohibited'
    // A socket that is not connected hears of no ICMP.
    assert.deepEqual((await asked(reject, '::1')).slice(0, 2), ['unreachable', 'timeout'])
  })

  test('where IPv6 is turned off, or a route of this machine forbids it, nothing is asked over UDP', async () => {
    const off = 'for at in all default lo; do echo 1 > /proc/sys/net/ipv6/conf/$at/disable_ipv6; done'
    assert.deepEqual((await asked(off, 'fd00::5')).slice(0, 2), ['notAsked', 'notAsked'])
    assert.deepEqual((await asked('ip -6 route add prohibit fd00::/8', 'fd00::5')).slice(0, 2), [
      'notAsked',
      'notAsked',
    ])
  })
})

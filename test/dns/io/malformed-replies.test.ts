import assert from 'node:assert/strict'
import { createSocket, type RemoteInfo } from 'node:dgram'
import { once } from 'node:events'
import process from 'node:process'
import { type TestContext, test } from 'node:test'
import { decode } from 'dns-packet'
import { SocketAsker } from '../../../src/dns/io/socket-asker.ts'
import type { DnsQuestion } from '../../../src/dns/model/dns.ts'
import { systemClock as clock } from '../../../src/ground/machine/system-clock.ts'
import { systemRandom } from '../../../src/ground/machine/system-random.ts'
import { reply } from '../../support/dns/fake-dns-server.ts'
import { SeededRandom } from '../../support/seeded-random.ts'

const QUESTION: DnsQuestion = { name: 'kubernetes.default.svc.cluster.local', type: 'A', class: 'IN' }
const RIGHT = { type: 'A', name: QUESTION.name, ttl: 5, data: '10.96.0.1' } as const
const HEADER_BYTES = 12
/** Few enough that the socket's buffer takes them all. */
const A_QUERY = 100
/** By day a sample, by night a million. */
const QUERIES = process.env.EVERY_TROUBLE === undefined ? 200 : 10_000

type Chance = (below: number) => number

function chanceOf(seed: number): Chance {
  const random = new SeededRandom(seed)
  return (below) => Math.floor(random.next() * below)
}

/** A message written by the grammar of RFC 1035, each part of which may lie. */
function byGrammar(query: Buffer, chance: Chance): Buffer {
  const header = Buffer.alloc(HEADER_BYTES)
  header.writeUInt16BE(chance(4) === 0 ? chance(65_536) : query.readUInt16BE(0), 0)
  header.writeUInt16BE(chance(4) === 0 ? chance(65_536) : 0x8400, 2)
  for (const at of [4, 6, 8, 10]) header.writeUInt16BE(chance(8) === 0 ? chance(65_536) : chance(3), at)
  const records = Array.from({ length: chance(4) }, () => record(chance))
  return Buffer.concat([header, ...(chance(3) === 0 ? [] : [name(chance), Buffer.of(0, 1, 0, 1)]), ...records])
}

/** Labels that are too long or cut off, pointers forward, to themselves and beyond the end. */
function name(chance: Chance): Buffer {
  const labels = Array.from({ length: chance(5) }, () => {
    const length = chance(6) === 0 ? 64 + chance(128) : chance(64)
    return Buffer.concat([Buffer.of(length), Buffer.alloc(chance(length + 1), 0x61 + chance(26))])
  })
  const end = chance(2) === 0 ? Buffer.of(0) : Buffer.of(0xc0 | chance(64), chance(256))
  return Buffer.concat([...labels, end])
}

function record(chance: Chance): Buffer {
  const data = Buffer.alloc(chance(40), chance(256))
  const fixed = Buffer.alloc(10)
  fixed.writeUInt16BE([1, 2, 5, 6, 12, 16, 28, 33, 41, chance(65_536)][chance(10)] ?? 1, 0)
  fixed.writeUInt16BE(1, 2)
  fixed.writeUInt16BE(chance(3) === 0 ? chance(65_536) : data.length, 8)
  return Buffer.concat([name(chance), fixed, data])
}

/** A right reply with some of its bytes changed, cut off or written twice. */
function byMutation(right: Buffer, chance: Chance): Buffer {
  let bytes = Buffer.from(right)
  for (let i = 0; i <= chance(6); i += 1) {
    const at = chance(bytes.length)
    const kind = chance(5)
    if (kind === 0) bytes = bytes.subarray(0, at)
    else if (kind === 1) bytes = Buffer.concat([bytes, bytes.subarray(at)])
    else if (kind === 2) bytes.fill(0xc0, at, at + 1)
    else bytes.fill(chance(256), at, at + 1)
    if (bytes.length === 0) return bytes
  }
  return bytes.subarray(0, 4_096)
}

/** Whether these bytes may be taken for the reply to the query: by its id, its bit and its question alone. */
function mayBeReply(bytes: Buffer, query: Buffer): boolean {
  const question = query.subarray(HEADER_BYTES, query.indexOf(0, HEADER_BYTES) + 5)
  const same = bytes.subarray(HEADER_BYTES, HEADER_BYTES + question.length)
  return (
    bytes.length >= HEADER_BYTES + question.length &&
    bytes.readUInt16BE(0) === query.readUInt16BE(0) &&
    ((bytes[2] ?? 0) & 0x80) !== 0 &&
    bytes.readUInt16BE(4) === 1 &&
    same.toString('latin1').toLowerCase() === question.toString('latin1').toLowerCase()
  )
}

function decodes(bytes: Buffer): boolean {
  try {
    decode(bytes)
    return true
  } catch {
    return false
  }
}

/** A server on loopback that answers each query with what is malformed, and with the right reply behind it. */
async function hostileServer(t: TestContext, chance: Chance) {
  const server = createSocket('udp4')
  const counts = { sent: 0, undecodable: 0, rightAllTheSame: 0 }
  server.on('message', (query: Buffer, from: RemoteInfo) => {
    const right = reply(query, { answers: [RIGHT] })
    for (let sent = 0; sent < A_QUERY; ) {
      const bytes = chance(2) === 0 ? byGrammar(query, chance) : byMutation(right, chance)
      const fits = mayBeReply(bytes, query)
      // A changed lifetime, for one: that is no malformed message.
      if (fits && decodes(bytes)) counts.rightAllTheSame += 1
      else {
        sent += 1
        counts.sent += 1
        if (fits) counts.undecodable += 1
        server.send(bytes, from.port, from.address)
      }
    }
    server.send(right, from.port, from.address)
  })
  server.bind(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  return { at: { address: '127.0.0.1', port: server.address().port }, counts }
}

test(`${QUERIES * A_QUERY} replies by grammar and by mutation before the right ones: each query gets the right one`, async (t) => {
  const seed = 20_261_124
  const { at, counts } = await hostileServer(t, chanceOf(seed))
  const asker = new SocketAsker(clock, systemRandom)
  const never = new AbortController().signal
  for (let i = 0; i < QUERIES; i += 1) {
    const socket = i % 2 === 0 ? 'connected' : 'unconnected'
    const outcome = await asker.ask({ at, question: QUESTION, over: 'udp', socket, timeoutMs: 5_000 }, never)
    assert.equal(outcome.kind, 'reply', `seed ${seed}, query ${i}: ${JSON.stringify(outcome)}`)
    assert.deepEqual(outcome.kind === 'reply' && outcome.reply.answers.map(({ data }) => data), [RIGHT.data])
  }
  t.diagnostic(JSON.stringify(counts))
  assert.equal(counts.sent, QUERIES * A_QUERY)
  assert.ok(counts.undecodable > QUERIES, JSON.stringify(counts))
})

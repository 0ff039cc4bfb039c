import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decode } from 'dns-packet'
import { queryMessage, readReply } from '../../../src/dns/io/message.ts'
import type { DnsQuestion } from '../../../src/dns/model/dns.ts'
import { likeCoreDns } from '../../support/dns/dns-world.ts'
import { SeededRandom } from '../../support/seeded-random.ts'

const QUESTIONS: readonly DnsQuestion[] = [
  { name: 'kubernetes.default.svc.cluster.local', type: 'A', class: 'IN' },
  { name: 'id.server', type: 'TXT', class: 'CH' },
  { name: '10.0.96.10.in-addr.arpa', type: 'PTR', class: 'IN' },
  { name: 'not-there.default.svc.cluster.local', type: 'A', class: 'IN' },
]
/** As many as a second allows. */
const MUTATIONS = 40_000
const NOT_READ: ReadonlySet<unknown> = new Set(['id', 'question', 'query', 'format'])

test('a query asks one whole name, for recursion, an id of its server, and 1232 octets', () => {
  const [question] = QUESTIONS
  assert.ok(question !== undefined)
  const { id, questions, additionals, flags } = decode(queryMessage(question, 7).bytes)
  assert.deepEqual(
    [id, questions?.[0]?.name, questions?.[0]?.type, (flags ?? 0) & 0x100],
    [7, question.name, 'A', 0x100],
  )
  const [opt] = additionals ?? []
  assert.ok(opt?.type === 'OPT')
  assert.deepEqual([opt.udpPayloadSize, opt.options.map(({ code }) => code)], [1232, [3]])
})

test('what is no name is not asked for', () => {
  for (const name of [
    '',
    '.',
    'a..b',
    `${'x'.repeat(64)}.local`,
    `${'abcd.'.repeat(51)}local`,
    'a b.local',
    'ä.local',
    '-a.local',
  ])
    assert.throws(() => queryMessage({ name, type: 'A', class: 'IN' }, 1), /is not a DNS name/)
})

test('whatever bytes a reply becomes, it is read or refused, and never taken for an answer to another question', () => {
  const random = new SeededRandom(20261124)
  const below = (limit: number): number => Math.floor(random.next() * limit)
  const tally = { read: 0, refused: 0 }
  for (let i = 0; i < MUTATIONS; i += 1) {
    const question = QUESTIONS[i % QUESTIONS.length]
    assert.ok(question !== undefined)
    const query = queryMessage(question, 0x1234)
    const bytes = Buffer.from(likeCoreDns(query.bytes)[0]?.bytes ?? [])
    for (let change = below(4); change >= 0; change -= 1) bytes[2 + below(bytes.length - 2)] = below(256)
    const cut = random.next() < 0.2 ? bytes.subarray(0, below(bytes.length)) : bytes
    const grown = random.next() < 0.1 ? Buffer.concat([cut, Buffer.alloc(below(2_000), below(256))]) : cut
    const reply = readReply(grown, query)
    if (typeof reply === 'string') {
      assert.ok(NOT_READ.has(reply))
      tally.refused += 1
      continue
    }
    tally.read += 1
    const asked = decode(grown).questions?.[0]
    assert.equal(asked?.name.toLowerCase(), question.name)
    assert.equal(asked?.type, question.type)
    for (const { data, name, type } of [...reply.answers, ...reply.authorities])
      assert.deepEqual([typeof data, typeof name, typeof type], ['string', 'string', 'string'])
    assert.doesNotMatch(reply.nsid ?? '', /[^\x20-\x7e]/)
  }
  assert.ok(tally.read > 1_000 && tally.refused > 1_000, JSON.stringify(tally))
})

test('bytes from nowhere are refused', () => {
  const random = new SeededRandom(1)
  const query = queryMessage({ name: 'example.com', type: 'A', class: 'IN' }, 0x1234)
  for (let i = 0; i < 20_000; i += 1) {
    const bytes = Buffer.from(random.hex(Math.floor(random.next() * 100)), 'hex')
    if (bytes.length >= 4 && i % 2 === 0) bytes.writeUInt32BE(0x12348400, 0)
    assert.ok(NOT_READ.has(readReply(bytes, query)))
  }
})

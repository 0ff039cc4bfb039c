import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type AskedZone, LADDER, type Rung } from '../../../src/dns/decide/ladder.ts'
import { readPath } from '../../../src/dns/decide/path-reading.ts'
import { nextTry, readTry, type Try } from '../../../src/dns/decide/path-script.ts'
import type { DnsOutcome, DnsReply } from '../../../src/dns/model/dns.ts'
import { NEWEST, NONCE, ZONE } from './a-zone.ts'

const FACTS: AskedZone = { ...ZONE, newest: NEWEST }

const replied = (change: Partial<DnsReply>, afterMs = 1): DnsOutcome => ({
  kind: 'reply',
  afterMs,
  reply: {
    rcode: 'NOERROR',
    authoritative: true,
    truncated: false,
    recursive: false,
    answers: [],
    authorities: [],
    extendedErrors: [],
    bytes: 60,
    ...change,
  },
})
const withData = (type: string, data: string): DnsOutcome =>
  replied({ answers: [{ name: 'x', type, ttlSeconds: 5, data }] })

const RIGHT: Readonly<Record<Rung['id'], DnsOutcome>> = {
  L0: replied({ rcode: 'BADVERS' }),
  L1: withData('TXT', '1.1.0'),
  L2: withData('A', '10.96.0.1'),
  L3: withData('A', '10.10.11.12'),
  L4: withData('A', '10.96.7.7'),
  L5: replied({ rcode: 'NXDOMAIN', authorities: [{ name: 'cluster.local', type: 'SOA', ttlSeconds: 5, data: 'ns' }] }),
  L6: withData('PTR', 'kube-dns.kube-system.svc.cluster.local'),
  L7: withData('A', '93.184.216.34'),
  L8: withData('A', '10.96.0.1'),
}
const TIMEOUT: DnsOutcome = { kind: 'timeout' }

/** A whole round on one path, where each query becomes of it what `outcome` says. */
function round(outcome: (rung: Rung['id'], nth: number) => DnsOutcome, facts = FACTS): readonly Try[] {
  const tries: Try[] = []
  for (let next = nextTry(tries, facts, NONCE); next !== undefined; next = nextTry(tries, facts, NONCE)) {
    assert.ok(tries.length < 50, 'a round ends')
    const nth = tries.filter(({ rung }) => rung === next?.rung.id).length
    tries.push(readTry(next, outcome(next.rung.id, nth), { askedZone: facts, nonce: NONCE }))
  }
  return tries
}

const rungs = (tries: readonly Try[]): string => tries.map(({ rung }) => rung).join(' ')

test('a server that is well is asked each rung once', () => {
  const tries = round((rung) => RIGHT[rung])
  assert.equal(rungs(tries), 'L0 L1 L2 L3 L4 L5 L6 L8')
  const { udp, tcp, data, asked, lost, faults } = readPath(tries)
  assert.deepEqual([udp, tcp, data, asked, lost, faults], ['answers', 'answers', 'right', 7, 0, []])
})

test('a silent server is asked three times, for two things, and once or twice over TCP', () => {
  const overTcp = round((rung) => (rung === 'L8' ? RIGHT.L8 : TIMEOUT))
  assert.equal(rungs(overTcp), 'L0 L0 L1 L8')
  assert.deepEqual(
    [readPath(overTcp).udp, readPath(overTcp).tcp, readPath(overTcp).how],
    ['silent', 'answers', ['timeout']],
  )
  const dead = round(() => TIMEOUT)
  assert.equal(rungs(dead), 'L0 L0 L1 L8 L8')
  assert.deepEqual([readPath(dead).udp, readPath(dead).tcp, readPath(dead).data], ['silent', 'silent', 'unknown'])
})

test('one lost packet is asked for again, and does not speak against the path', () => {
  for (const lost of ['L0', 'L2', 'L5'] as const) {
    const tries = round((rung, nth) => (rung === lost && nth === 0 ? TIMEOUT : RIGHT[rung]))
    assert.deepEqual([readPath(tries).udp, readPath(tries).data, readPath(tries).lost], ['answers', 'right', 1])
  }
})

test('what timed out once is asked again so that a reply from elsewhere is seen, at each rung', () => {
  const silentAt = (rung: Rung['id'], kind: 'timeout' | 'refused') => {
    const before = round((one) => RIGHT[one]).filter((one) => one.rung < rung)
    const next = nextTry(before, FACTS, NONCE)
    assert.equal(next?.rung.id, rung)
    return nextTry([...before, readTry(next, { kind }, { askedZone: FACTS, nonce: NONCE })], FACTS, NONCE)
  }
  for (const rung of ['L0', 'L3', 'L5'] as const) {
    assert.equal(silentAt(rung, 'timeout')?.socket, 'unconnected')
    assert.equal(silentAt(rung, 'refused')?.socket, 'connected')
  }
})

test('what was truncated is asked again over TCP, and the truncated reply speaks neither for nor against the data', () => {
  const truncated = (over: (rung: Rung['id']) => DnsOutcome) =>
    round((rung, nth) => (rung === 'L8' || nth > 0 ? over(rung) : replied({ truncated: true })), {
      ...FACTS,
      outside: 'example.com',
    })
  const tries = truncated((rung) => RIGHT[rung])
  assert.equal(rungs(tries), 'L0 L1 L1 L2 L2 L3 L3 L4 L4 L5 L5 L6 L6 L7 L7 L8')
  assert.deepEqual(
    tries.filter(({ over }) => over === 'tcp').map(({ rung }) => rung),
    ['L1', 'L2', 'L3', 'L4', 'L5', 'L6', 'L7', 'L8'],
  )
  const { udp, tcp, data, upstream, lost, faults } = readPath(tries)
  assert.deepEqual([udp, tcp, data, upstream, lost, faults], ['answers', 'answers', 'right', 'answers', 0, []])
  const stale = readPath(truncated((rung) => (rung === 'L4' ? RIGHT.L5 : RIGHT[rung])))
  assert.deepEqual([stale.data, stale.faults], ['stale', ['L4: NXDOMAIN for Service shop/cart']])
  const noTcp = truncated(() => TIMEOUT)
  assert.equal(noTcp.filter(({ over }) => over === 'tcp').length, 2)
  const { udp: alive, tcp: silent, data: unknown, upstream: notAsked } = readPath(noTcp)
  assert.deepEqual([alive, silent, unknown, notAsked], ['answers', 'silent', 'unknown', 'notAsked'])
})

/** It answers what concerns no other server, and the others are silent. */
const upstreamCut = (facts: AskedZone): ReturnType<typeof readPath> => {
  const own = new Set(LADDER.filter((rung) => rung.answeredBy(facts) === 'itself').map(({ id }) => id))
  return readPath(round((rung) => (own.has(rung) ? RIGHT[rung] : TIMEOUT), facts))
}

test('where the servers that it forwards to are silent, a server lives, and is right about its zone', () => {
  for (const [facts, over] of [
    [{ ...FACTS, isServed: true, forwards: true }, 'answers'],
    [{ ...FACTS, isServed: true, forwards: true, fallsThrough: true }, 'answers'],
  ] as const) {
    const { udp, tcp, data, upstream, lost } = upstreamCut(facts)
    assert.deepEqual([udp, tcp, data, upstream, lost], ['answers', over, 'right', 'fails', 0])
  }
})

test('where that is so, and no one says that it serves the zone, nothing is known of its data and its TCP', () => {
  const { udp, tcp, data, upstream, lost } = upstreamCut({ ...FACTS, forwards: true })
  assert.deepEqual([udp, tcp, data, upstream, lost], ['answers', 'notAsked', 'unanswered', 'fails', 0])
})

test('a zone that no Corefile names, and whose first question fails, is asked of other servers: nothing is known of it', () => {
  const facts = { ...FACTS, forwards: true } as const
  const failing = (rung: Rung['id']): DnsOutcome => (rung === 'L0' ? RIGHT.L0 : replied({ rcode: 'SERVFAIL' }))
  const { udp, data, upstream } = readPath(round(failing, facts))
  assert.deepEqual([udp, data, upstream], ['answers', 'unanswered', 'fails'])
  assert.equal(readPath(round(failing, { ...facts, isServed: true })).data, 'noKubernetes')
})

test('where three queries about the zone get no answer, no more are asked but for the upstream and TCP', () => {
  const tries = round((rung) => (rung === 'L0' ? RIGHT.L0 : TIMEOUT), { ...FACTS, forwards: true })
  assert.equal(rungs(tries), 'L0 L1 L1 L2 L7 L7 L8 L8')
})

test('a server whose Corefile has the zone, and that answers nothing about it, loses queries', () => {
  const facts = { ...FACTS, isServed: true } as const
  const { udp, data } = readPath(round((rung) => (rung === 'L0' ? RIGHT.L0 : TIMEOUT), facts))
  assert.deepEqual([udp, data], ['loses', 'unanswered'])
})

test('a server that drops the first question and answers the others is alive', () => {
  const { udp, data } = readPath(round((rung) => (rung === 'L0' ? TIMEOUT : RIGHT[rung])))
  assert.deepEqual([udp, data], ['answers', 'right'])
})

test('half of the queries lost is reported as loss, with how they were lost, most often first', () => {
  const tries = round((rung, nth) => (nth > 0 ? RIGHT[rung] : rung === 'L1' ? { kind: 'refused' } : TIMEOUT))
  assert.deepEqual([readPath(tries).udp, readPath(tries).how], ['loses', ['timeout', 'refused']])
})

test('what is wrong with answers is reported by the worst of it, and all of it in words', () => {
  const servfail = replied({ rcode: 'SERVFAIL' })
  const unsynced = readPath(round((rung) => (rung === 'L0' || rung === 'L1' ? RIGHT[rung] : servfail)))
  assert.equal(unsynced.data, 'unsynced')
  assert.ok(unsynced.faults.includes('L2: SERVFAIL for kubernetes.default.svc.cluster.local'))
  const stale = readPath(round((rung) => (rung === 'L4' ? RIGHT.L5 : RIGHT[rung])))
  assert.deepEqual([stale.udp, stale.data, stale.faults], ['answers', 'stale', ['L4: NXDOMAIN for Service shop/cart']])
})

test('a server that knows Services serves the zone, also where it has no name for its version: kube-dns has none', () => {
  const { L5: denied } = RIGHT
  const kubeDns = readPath(round((rung) => (rung === 'L0' || rung === 'L1' ? denied : RIGHT[rung])))
  assert.deepEqual([kubeDns.data, kubeDns.faults], ['right', []])
  const foreign = readPath(round((rung) => (rung === 'L8' ? RIGHT.L8 : denied)))
  assert.deepEqual([foreign.data, foreign.faults[0]], ['noKubernetes', 'L1: NXDOMAIN for dns-version.cluster.local'])
})

test('a name outside that fails is a finding of its own, and no fault of the server’s data', () => {
  const outside = { ...FACTS, outside: 'example.com' }
  const failing = readPath(round((rung) => (rung === 'L7' ? replied({ rcode: 'SERVFAIL' }) : RIGHT[rung]), outside))
  assert.deepEqual([failing.upstream, failing.data], ['fails', 'right'])
  assert.equal(readPath(round((rung) => RIGHT[rung], outside)).upstream, 'answers')
})

test('a machine that cannot ask knows nothing of the server', () => {
  const { udp, tcp, data } = readPath(round(() => ({ kind: 'notAsked', text: 'EMFILE' })))
  assert.deepEqual([udp, tcp, data], ['notAsked', 'notAsked', 'unknown'])
})

test('the reading keeps which server answered, from where replies came, and how long they took', () => {
  const tries = round((rung, nth) => {
    if (rung === 'L1' && nth === 0) return { kind: 'wrongSource', from: '10.1.0.7 port 53' }
    const right = RIGHT[rung]
    return right.kind === 'reply'
      ? { ...right, afterMs: 4, reply: { ...right.reply, nsid: 'coredns-1', truncated: rung === 'L2' } }
      : right
  })
  const { servedBy, wrongSource, medianMs, truncated } = readPath(tries)
  assert.deepEqual([servedBy, wrongSource, medianMs, truncated], [['coredns-1'], '10.1.0.7 port 53', 4, 1])
})

test('every rung says what it proves', () => {
  for (const { proves } of LADDER) assert.match(proves, /^[a-z].{10,}[^.]$/)
})

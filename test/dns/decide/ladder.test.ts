import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type AskedZone, LADDER, type Rung } from '../../../src/dns/decide/ladder.ts'
import type { DnsRecord, DnsReply } from '../../../src/dns/model/dns.ts'
import { NEWEST, NONCE, ZONE } from './a-zone.ts'

const FACTS: AskedZone = { ...ZONE, newest: NEWEST, outside: 'example.com' }

const rung = (id: Rung['id']): Rung => {
  const found = LADDER.find((one) => one.id === id)
  assert.ok(found !== undefined)
  return found
}

const record = (type: string, data: string): DnsRecord => ({ name: 'x', type, ttlSeconds: 5, data })
const aReply = (change: Partial<DnsReply> = {}): DnsReply => ({
  rcode: 'NOERROR',
  authoritative: true,
  truncated: false,
  recursive: false,
  answers: [],
  authorities: [],
  extendedErrors: [],
  bytes: 60,
  ...change,
})
const answer = (type: string, data: string): DnsReply => aReply({ answers: [record(type, data)] })
const rcode = (code: string): DnsReply => aReply({ rcode: code })
const denied = aReply({ rcode: 'NXDOMAIN', authorities: [record('SOA', 'ns.dns.cluster.local')] })

test('each rung asks for what it is to prove', () => {
  const asked = LADDER.map((one) => {
    const question = one.question(FACTS, NONCE)
    return [one.id, one.over, question?.class, question?.type, question?.name]
  })
  assert.deepEqual(asked, [
    ['L0', 'udp', 'IN', 'TXT', 'dns-version.cluster.local'],
    ['L1', 'udp', 'IN', 'TXT', 'dns-version.cluster.local'],
    ['L2', 'udp', 'IN', 'A', 'kubernetes.default.svc.cluster.local'],
    ['L3', 'udp', 'IN', 'A', '10-10-11-12.kube-system.pod.cluster.local'],
    ['L4', 'udp', 'IN', 'A', 'cart.shop.svc.cluster.local'],
    ['L5', 'udp', 'IN', 'A', 'evenkeel-0a0b0c0d0e0f.default.svc.cluster.local'],
    ['L6', 'udp', 'IN', 'PTR', '10.0.96.10.in-addr.arpa'],
    ['L7', 'udp', 'IN', 'A', 'example.com'],
    ['L8', 'tcp', 'IN', 'A', 'kubernetes.default.svc.cluster.local'],
  ])
})

test('the first question is what the server answers whatever its Corefile says: its version of EDNS is not known', () => {
  const versions = LADDER.map((one) => [one.id, one.question(FACTS, NONCE)?.edns])
  assert.deepEqual(
    versions.filter(([, edns]) => edns !== undefined),
    [['L0', 1]],
  )
})

test('a Corefile that forwards is asked for a name that no one has, unless a name is given', () => {
  const { outside: _outside, ...rest } = FACTS
  assert.equal(rung('L7').question({ ...rest, forwards: true }, NONCE)?.name, 'evenkeel-0a0b0c0d0e0f.invalid')
  assert.equal(rung('L7').question({ ...FACTS, forwards: true }, NONCE)?.name, 'example.com')
})

const OF_UPSTREAM: readonly (readonly [what: string, reply: DnsReply, reading: string])[] = [
  ['that no one has it', rcode('NXDOMAIN'), 'right'],
  ['an address all the same', answer('A', '192.0.2.1'), 'right'],
  ['SERVFAIL of a server that asks others', aReply({ rcode: 'SERVFAIL', recursive: true }), 'right'],
  ['SERVFAIL of CoreDNS', rcode('SERVFAIL'), 'wrong upstream'],
  ['REFUSED of CoreDNS, which waits for too many answers', rcode('REFUSED'), 'wrong upstream'],
]
for (const [what, reply, wanted] of OF_UPSTREAM)
  test(`the name that no one has, answered with ${what}, is ${wanted}`, () => {
    const { outside: _outside, ...rest } = FACTS
    const reading = rung('L7').read(reply, { ...rest, forwards: true }, NONCE)
    assert.equal(reading.kind === 'wrong' ? `wrong ${reading.fault}` : reading.kind, wanted)
  })

test('what a cluster does not have is not asked for', () => {
  const { newest: _newest, outside: _outside, ...bare } = FACTS
  const facts = { ...bare, dnsService: { ...bare.dnsService, addresses: [] } }
  const skipped = LADDER.filter((one) => one.question(facts, NONCE) === undefined).map(({ id }) => id)
  assert.deepEqual(skipped, ['L4', 'L6', 'L7'])
})

test('where the Corefile hides the API server, the newest Service is asked for, or a name that the zone always has', () => {
  const names = (facts: AskedZone): readonly (string | undefined)[] =>
    (['L2', 'L8'] as const).map((id) => rung(id).question(facts, NONCE)?.name)
  const { newest: _, ...bare } = FACTS
  const hidden: AskedZone = { ...FACTS, hidesApi: true }
  assert.deepEqual(names(hidden), Array(2).fill('cart.shop.svc.cluster.local'))
  assert.equal(rung('L8').read(answer('A', '10.96.7.7'), hidden, NONCE).kind, 'right')
  const allHidden: AskedZone = { ...bare, hidesApi: true }
  assert.deepEqual(names(allHidden), Array(2).fill('dns-version.cluster.local'))
  assert.equal(rung('L2').read(answer('TXT', '1.1.0'), allHidden, NONCE).kind, 'right')
  assert.equal(rung('L2').read(rcode('NXDOMAIN'), allHidden, NONCE).kind, 'wrong')
})

test('a cluster of IPv6 alone is asked for AAAA, and its reverse zone is ip6.arpa', () => {
  const facts = { ...FACTS, apiAddresses: ['fd00::1'], dnsService: { ...FACTS.dnsService, addresses: ['fd00::a'] } }
  assert.equal(rung('L2').question(facts, NONCE)?.type, 'AAAA')
  assert.equal(rung('L2').read(answer('AAAA', 'fd00:0:0:0:0:0:0:1'), facts, NONCE).kind, 'right')
  const reverse = rung('L6').question(facts, NONCE)?.name ?? ''
  assert.match(reverse, /^a\.0\.0\.0\..*\.0\.0\.d\.f\.ip6\.arpa$/)
  assert.equal(reverse.split('.').length, 34)
})

const READINGS: readonly (readonly [id: Rung['id'], what: string, reply: DnsReply, reading: string])[] = [
  ['L0', 'refused', rcode('REFUSED'), 'right'],
  ['L1', 'its version', answer('TXT', '1.1.0'), 'right'],
  ['L1', 'no such name', rcode('NXDOMAIN'), 'wrong noKubernetes'],
  ['L1', 'REFUSED', rcode('REFUSED'), 'wrong refused'],
  ['L2', 'REFUSED', rcode('REFUSED'), 'wrong refused'],
  ['L4', 'REFUSED', rcode('REFUSED'), 'wrong refused'],
  ['L5', 'REFUSED', rcode('REFUSED'), 'wrong refused'],
  ['L1', 'no text', aReply(), 'wrong noKubernetes'],
  ['L2', 'the address of the API', answer('A', '10.96.0.1'), 'right'],
  ['L2', 'SERVFAIL', rcode('SERVFAIL'), 'wrong unsynced'],
  ['L2', 'no such name', rcode('NXDOMAIN'), 'wrong wrongZone'],
  ['L2', 'another address', answer('A', '10.0.0.66'), 'wrong wrongAnswer'],
  ['L2', 'no address', aReply(), 'wrong wrongAnswer'],
  ['L3', 'the address of the name', answer('A', '10.10.11.12'), 'right'],
  ['L3', 'another one', answer('A', '10.10.11.13'), 'wrong wrongAnswer'],
  ['L3', 'no such name', rcode('NXDOMAIN'), 'moot'],
  ['L3', 'SERVFAIL', rcode('SERVFAIL'), 'wrong unsynced'],
  ['L4', 'the address of the Service', answer('A', '10.96.7.7'), 'right'],
  ['L4', 'no such Service', denied, 'wrong stale'],
  ['L4', 'an address that it had', answer('A', '10.96.7.8'), 'wrong stale'],
  ['L4', 'SERVFAIL', rcode('SERVFAIL'), 'wrong unsynced'],
  ['L5', 'that there is none', denied, 'right'],
  ['L5', 'the same without authority', { ...denied, authoritative: false }, 'wrong wrongAnswer'],
  ['L5', 'an address all the same', answer('A', '10.0.0.66'), 'wrong wrongAnswer'],
  ['L5', 'SERVFAIL', rcode('SERVFAIL'), 'wrong unsynced'],
  ['L6', 'its name', answer('PTR', 'kube-dns.kube-system.svc.cluster.local'), 'right'],
  ['L6', 'its name in capitals', answer('PTR', 'KUBE-DNS.kube-system.svc.cluster.local.'), 'right'],
  ['L6', 'no such name', rcode('NXDOMAIN'), 'moot'],
  ['L7', 'any answer', answer('A', '93.184.216.34'), 'right'],
  ['L7', 'SERVFAIL', rcode('SERVFAIL'), 'wrong upstream'],
  ['L7', 'no such name', rcode('NXDOMAIN'), 'wrong upstream'],
  ['L8', 'the address of the API', answer('A', '10.96.0.1'), 'right'],
]

for (const [id, what, reply, wanted] of READINGS) {
  test(`${id} answered with ${what} is ${wanted}`, () => {
    const reading = rung(id).read(reply, FACTS, NONCE)
    assert.equal(reading.kind === 'wrong' ? `wrong ${reading.fault}` : reading.kind, wanted)
    if (reading.kind !== 'right') assert.ok(reading.text.length > 5)
  })
}

const ELSEWHERE: readonly (readonly [what: string, reply: DnsReply, reading: string])[] = [
  ['that there is none, without authority', { ...denied, authoritative: false, authorities: [] }, 'right'],
  ['SERVFAIL, of a server that it forwards to', rcode('SERVFAIL'), 'moot'],
  ['REFUSED, of a server that it forwards to', rcode('REFUSED'), 'moot'],
  ['an address all the same', answer('A', '10.0.0.66'), 'wrong wrongAnswer'],
]
for (const [what, reply, wanted] of ELSEWHERE)
  test(`where the zone falls through, L5 answered with ${what} is ${wanted}`, () => {
    const reading = rung('L5').read(reply, { ...FACTS, fallsThrough: true }, NONCE)
    assert.equal(reading.kind === 'wrong' ? `wrong ${reading.fault}` : reading.kind, wanted)
  })

test('where the zone falls through, SERVFAIL for the name of a pod may be that of another server', () => {
  assert.equal(rung('L3').read(rcode('SERVFAIL'), { ...FACTS, fallsThrough: true }, NONCE).kind, 'moot')
})

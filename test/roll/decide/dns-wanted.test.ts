import assert from 'node:assert/strict'
import { test } from 'node:test'
import { monoMs } from '../../../src/ground/model/time.ts'
import { decide } from '../../../src/roll/decide/decide.ts'
import { dnsNotices } from '../../../src/roll/decide/dns/dns-notices.ts'
import { type DnsWant, dnsWanted, dnsWantOf } from '../../../src/roll/decide/dns/dns-wanted.ts'
import type { RollSnapshot } from '../../../src/roll/decide/snapshot.ts'
import { aReading } from '../../support/roll-dns.ts'
import { cordoned, out, proven, settled, withPort } from '../../support/roll-stages.ts'
import { aNode, aRecord, aSnapshot } from '../../support/roll-world.ts'

/** What is asked for while this is decided. */
function wanted(s: RollSnapshot): string | undefined {
  const asked = { ...s, dns: s.dns ?? {} }
  const want = dnsWanted(asked, decide(asked))
  return want && `${want.for} ${want.nodes.join(' ')} from ${want.from.join(' ')}`
}

const run = (s: RollSnapshot, done: readonly string[]): RollSnapshot => ({ ...s, run: { ...s.run, done } })
const old = { last: { kind: 'unknown', begunAt: monoMs(0), endedAt: monoMs(0), from: [] } } as const

test('before a node goes nodes are asked that stay, those that go last before others', () => {
  assert.equal(wanted(aSnapshot()), 'leaving n1 from n3 n2')
  assert.equal(wanted(aSnapshot({ record: aRecord() })), 'leaving n1 from n3 n2')
  assert.equal(wanted(aSnapshot(cordoned)), 'leaving n1 from n3 n2')
})

test('a node that is back is asked itself, and one that stays', () => {
  assert.equal(wanted(withPort(aSnapshot(settled))), 'back n1 from n1 n3')
})

test('relays of the node that is back serve for the next one as well', () => {
  const s = aSnapshot()
  const next = { ...s, current: { ...s.current, node: aNode('n2') } }
  assert.equal(wanted(run(next, ['n1'])), 'leaving n2 from n1 n3')
})

test('nodes of several lanes that are back are asked together, each itself; one that is to leave waits for them', () => {
  const back = (node: string, other: string): DnsWant => ({ nodes: [node], for: 'back', from: [node, other] })
  const leaving: DnsWant = { nodes: ['n4'], for: 'leaving', from: ['n3', 'n2'] }
  assert.deepEqual(dnsWantOf([leaving, back('n1', 'n3'), back('n2', 'n1')]), {
    nodes: ['n1', 'n2'],
    for: 'back',
    from: ['n1', 'n2', 'n3'],
  })
  assert.deepEqual(dnsWantOf([leaving, back('n2', 'n3')]), back('n2', 'n3'))
  assert.deepEqual([dnsWantOf([leaving]), dnsWantOf([])], [leaving, undefined])
})

test('nodes that are not Ready are not asked', () => {
  const s = aSnapshot({ record: aRecord() })
  const nodes = [aNode('n1'), aNode('n2', { ready: 'Unknown' }), aNode('n3')]
  const want = dnsWanted({ ...s, dns: {}, cluster: { ...s.cluster, nodes } }, decide(s))
  assert.deepEqual(want?.from, ['n3'])
})

test('nodes that run no relay are not asked: Windows, and virtual kubelets', () => {
  const windows = aNode('n3', { labels: { 'kubernetes.io/os': 'windows' } })
  const virtual = aNode('n2', { taints: [{ key: 'virtual-kubelet.io/provider', effect: 'NoSchedule' }] })
  const nodes = [aNode('n1'), virtual, windows, aNode('n4')]
  const among = (s: RollSnapshot, labels: Record<string, string> = {}) => {
    const asked = { ...s, dns: {} }
    assert.ok(asked.current !== undefined)
    const current = { ...asked.current, node: { ...asked.current.node, labels } }
    return dnsWanted({ ...asked, current, cluster: { ...s.cluster, nodes } }, decide(asked))?.from
  }
  assert.deepEqual(among(aSnapshot()), ['n4'])
  const back = withPort(aSnapshot(settled))
  assert.deepEqual(among(back), ['n1', 'n4'])
  assert.deepEqual(among(back, windows.labels), ['n4'])
})

test('DNS is not asked while a node drains, reboots or proves itself', () => {
  for (const stage of [out, proven]) assert.equal(wanted(aSnapshot(stage)), undefined)
})

test('DNS is not asked all over while another run has the slot', () => {
  const s = aSnapshot({ change: { slot: { state: 'other', mayAct: false } } })
  assert.equal(wanted(s), 'leaving n1 from n3 n2')
  assert.equal(wanted({ ...s, dns: old }), undefined)
})

test('DNS is not asked where it is not to be', () => {
  assert.equal(dnsWanted(aSnapshot(), decide(aSnapshot())), undefined)
})

test('people are told what is not quite well, and what could not be checked', () => {
  assert.deepEqual(dnsNotices(aReading(['Healthy cluster dns', 'UdpDead pod c-1']), false), [])
  assert.deepEqual(dnsNotices(aReading(['NotReady pod c-1']), false), [
    'the cluster DNS has a problem: NotReady, pod c-1: the pod answers correctly but is not Ready',
  ])
  assert.deepEqual(dnsNotices(aReading(['UpstreamDown pod c-1']), false), [
    'the cluster DNS has a problem: UpstreamDown, pod c-1: external names fail at every pod',
  ])
  const goesBy = 'the roll only checks that an endpoint of DNS is Ready'
  assert.deepEqual(dnsNotices(aReading(['NotAsked cluster dns']), false), [
    `the state of DNS is only partly known (NotAsked, cluster dns: no query could be sent to it); ${goesBy}; set "dns.image" in the roll file to send queries from nodes`,
  ])
  const unknown = { kind: 'unknown', begunAt: monoMs(0), endedAt: monoMs(0), from: [] } as const
  assert.deepEqual(dnsNotices({ ...unknown, why: 'it may not list services' }, true), [
    `the state of DNS is not known: it may not list services; ${goesBy}`,
  ])
  assert.deepEqual(dnsNotices(unknown, false), [])
})

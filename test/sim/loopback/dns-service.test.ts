import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { connect } from 'node:net'
import { type TestContext, test } from 'node:test'
import { encode, type Packet } from 'dns-packet'
import { type AskedZone, LADDER } from '../../../src/dns/decide/ladder.ts'
import { SocketAsker } from '../../../src/dns/io/socket-asker.ts'
import type { DnsOutcome, DnsQuestion } from '../../../src/dns/model/dns.ts'
import { systemClock as clock } from '../../../src/ground/machine/system-clock.ts'
import { systemRandom as random } from '../../../src/ground/machine/system-random.ts'
import { systemTimers as timers } from '../../../src/ground/machine/system-timers.ts'
import { apiService, clusterDns } from '../../../src/sim/cluster/dns-workloads.ts'
import { outsideMessage } from '../../../src/sim/dns/answer-message.ts'
import { ClusterZone } from '../../../src/sim/dns/cluster-zone.ts'
import { DnsService } from '../../../src/sim/loopback/dns-service.ts'
import { LoopbackNet } from '../../../src/sim/loopback/loopback-net.ts'
import { NAMESPACES, SERVICES } from '../../../src/sim/world/api-resource.ts'
import { applyManifest } from '../../../src/sim/world/apply-manifest.ts'
import { createObject } from '../../../src/sim/world/create-object.ts'
import { Store } from '../../../src/sim/world/store.ts'
import type { World } from '../../../src/sim/world/world.ts'
import { NONCE } from '../../dns/decide/a-zone.ts'
import { CoreDnsGround } from '../../support/dns/coredns-ground.ts'
import { FakeDnsServer } from '../../support/dns/fake-dns-server.ts'
import { requires } from '../../support/requires.ts'

const never = new AbortController().signal
const ENOUGH_MS = 5_000
const SOON_MS = 200
const ZONE = 'cluster.local'
const FACTS: AskedZone = {
  zone: ZONE,
  apiAddresses: ['10.96.0.1'],
  dnsService: { namespace: 'kube-system', name: 'kube-dns', addresses: ['10.96.0.10'] },
}

interface Served {
  readonly world: World
  readonly dns: DnsService
  readonly at: { readonly address: string; readonly port: number }
}

/** The DNS of a cluster with the Services of a real one, on an address of its own. */
async function served(t: TestContext, forwards = false): Promise<Served> {
  const world = { store: new Store(), clock, random }
  for (const name of ['default', 'kube-system'])
    createObject(world, { resource: NAMESPACES, body: { metadata: { name } } })
  const server = { host: '127.0.0.1', port: 1 }
  for (const manifest of [
    ...apiService({ address: '10.96.0.1', port: 443, server }),
    ...clusterDns({ zone: ZONE, replicas: 2, address: '10.96.0.10', ports: { dns: 53, health: 8080 } }),
  ])
    applyManifest(world, manifest)
  const net = await LoopbackNet.open()
  const at = { host: net.nodeAddress(1), port: await net.freePort(1053, [], 'both') }
  const dns = new DnsService({ net, at, zone: new ClusterZone(world, { zone: ZONE, forwards }), timers })
  t.after(async () => {
    dns.end()
    await net.close()
  })
  return { world, dns, at: { address: at.host, port: at.port } }
}

const asker = new SocketAsker(clock, random)
const ask = (at: Served['at'], question: DnsQuestion, over: 'udp' | 'tcp' = 'udp', timeoutMs = ENOUGH_MS) =>
  asker.ask({ at, question, over, timeoutMs }, never)

const named = (name: string, type: DnsQuestion['type'] = 'A'): DnsQuestion => ({ name, type, class: 'IN' })
const API = named('kubernetes.default.svc.cluster.local')

function said(outcome: DnsOutcome): string {
  if (outcome.kind !== 'reply') return outcome.kind
  const { rcode, authoritative, answers, authorities } = outcome.reply
  const records = [...answers, ...authorities].map(({ type, data }) => `${type} ${data}`)
  return [rcode, ...(authoritative ? ['aa'] : []), ...records].join(' ')
}

for (const { id, over, proves, question, read } of LADDER.filter(({ id: rung }) => rung !== 'L4' && rung !== 'L7')) {
  test(`the DNS of the embedded cluster answers what ${id} asks (${proves})`, async (t) => {
    const { at } = await served(t)
    const asked = question(FACTS, NONCE)
    assert.ok(asked !== undefined)
    const outcome = await ask(at, asked, over)
    assert.ok(outcome.kind === 'reply', outcome.kind)
    assert.deepEqual(read(outcome.reply, FACTS, NONCE), { kind: 'right' })
  })
}

test('what is asked of it is answered as CoreDNS does', async (t) => {
  const { at, world } = await served(t)
  const soa = 'SOA ns.dns.cluster.local'
  for (const [question, answer] of [
    [named('KUBE-DNS.kube-system.svc.Cluster.Local'), 'NOERROR aa A 10.96.0.10'],
    [named('kubernetes.default.svc.cluster.local', 'AAAA'), `NOERROR aa ${soa}`],
    [named('gone.default.svc.cluster.local'), `NXDOMAIN aa ${soa}`],
    [named('10-1-2-300.default.pod.cluster.local'), `NXDOMAIN aa ${soa}`],
    [named('9.9.96.10.in-addr.arpa', 'PTR'), `NXDOMAIN aa ${soa}`],
    [named('example.com'), 'REFUSED'],
    [{ name: 'version.bind', type: 'TXT', class: 'CH' }, 'REFUSED'],
    [{ ...named('example.com'), edns: 1 }, 'BADVERS'],
  ] as const)
    assert.equal(said(await ask(at, question)), answer, question.name)
  const cart = { metadata: { name: 'cart' }, spec: { clusterIP: '10.96.7.7' } }
  createObject(world, { resource: SERVICES, namespace: 'default', body: cart })
  assert.equal(said(await ask(at, named('cart.default.svc.cluster.local'))), 'NOERROR aa A 10.96.7.7')
  world.store.remove(SERVICES, { namespace: 'default', name: 'cart' })
  assert.equal(said(await ask(at, named('cart.default.svc.cluster.local'))), `NXDOMAIN aa ${soa}`)
})

/** What is asked where it forwards: what is said then, and once the servers outside are silent. */
const FORWARDED: readonly (readonly [question: DnsQuestion, answer: string, onceCut: string])[] = [
  [named('example.com'), 'NXDOMAIN ra', 'timeout'],
  [{ name: 'id.server', type: 'TXT', class: 'CH' }, 'REFUSED ra', 'timeout'],
  [named('9.9.96.10.in-addr.arpa', 'PTR'), 'NXDOMAIN ra', 'timeout'],
  [{ ...named('example.com'), edns: 1 }, 'BADVERS', 'BADVERS'],
  [API, 'NOERROR aa A 10.96.0.1', 'NOERROR aa A 10.96.0.1'],
  [named('dns-version.cluster.local', 'TXT'), 'NOERROR aa TXT 1.1.0', 'NOERROR aa TXT 1.1.0'],
]
const saidBy = (outcome: DnsOutcome): string =>
  outcome.kind === 'reply' && outcome.reply.recursive ? `${said(outcome)} ra` : said(outcome)

async function forwards(at: Served['at'], cut: () => void): Promise<void> {
  for (const [question, answer] of FORWARDED) assert.equal(saidBy(await ask(at, question)), answer, question.name)
  cut()
  // No cache knows this name yet.
  for (const over of ['udp', 'tcp'] as const)
    for (const [question, , onceCut] of FORWARDED)
      assert.equal(
        saidBy(await ask(at, { ...question, name: question.name.replace('example', over) }, over, SOON_MS)),
        onceCut,
      )
  assert.equal(saidBy(await ask(at, named('late.example'), 'udp', 3 * ENOUGH_MS)), 'SERVFAIL')
}

test('where it forwards, what is not of its zone is answered by the servers there, and where they are silent by none', async (t) => {
  const { at, dns } = await served(t, true)
  await forwards(at, () => dns.cutUpstream())
})

test('real CoreDNS forwards so, too', requires('testbed'), async (t) => {
  const outside = await FakeDnsServer.of(t)
  outside.answering = (query) => [{ bytes: outsideMessage(query) ?? Buffer.alloc(0) }]
  const ground = await CoreDnsGround.of(t, 1, { upstream: () => outside.port })
  await forwards({ address: '127.0.0.1', port: ground.pods[0]?.port ?? 0 }, () => {
    outside.answering = () => []
  })
})

test('where UDP is dropped it is silent over UDP, and answers over TCP', async (t) => {
  const { at, dns } = await served(t)
  dns.dropUdp()
  assert.equal(said(await ask(at, API, 'udp', SOON_MS)), 'timeout')
  assert.equal(said(await ask(at, API, 'tcp')), 'NOERROR aa A 10.96.0.1')
})

const QUESTION = { name: API.name, type: 'A', class: 'IN' } as const
const HOSTILE: readonly Buffer[] = [
  Buffer.alloc(0),
  Buffer.from('no message'),
  Buffer.alloc(600, 0xc0),
  encode({ type: 'query', id: 1, questions: [] }),
  encode({ type: 'query', id: 1, questions: [QUESTION, QUESTION] }),
  encode({ type: 'response', id: 1, questions: [QUESTION] } as Packet),
]

test('what is no query gets no answer, and the next query gets one', async (t) => {
  const { at } = await served(t)
  const socket = createSocket('udp4')
  t.after(() => socket.close())
  let replies = 0
  socket.on('message', () => {
    replies += 1
  })
  for (const bytes of HOSTILE) socket.send(bytes, at.port, at.address)
  for (const bytes of HOSTILE) {
    const connection = connect(at.port, at.address).on('error', () => undefined)
    connection.end(Buffer.concat([Buffer.from([bytes.length >> 8, bytes.length & 0xff]), bytes]))
    await once(connection.resume(), 'close')
  }
  assert.equal(said(await ask(at, API)), 'NOERROR aa A 10.96.0.1')
  assert.equal(said(await ask(at, API, 'tcp')), 'NOERROR aa A 10.96.0.1')
  assert.equal(replies, 0)
})

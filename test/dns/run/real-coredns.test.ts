import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decode } from 'dns-packet'
import { CAUSES } from '../../../src/dns/decide/causes.ts'
import { ForwardedLoopback } from '../../../src/dns/io/forwarded-loopback.ts'
import { kubeDnsObjects } from '../../../src/dns/io/kube-dns-objects.ts'
import { SocketAsker } from '../../../src/dns/io/socket-asker.ts'
import { checkDns, type DnsCheck } from '../../../src/dns/run/check-dns.ts'
import type { Sought } from '../../../src/dns/run/deployment.ts'
import { openApi } from '../../../src/ground/kube/open-cluster.ts'
import { systemClock as clock } from '../../../src/ground/machine/system-clock.ts'
import { systemRandom as random } from '../../../src/ground/machine/system-random.ts'
import { waitFor } from '../../../testbed/machine/wait-for.ts'
import { CoreDnsGround } from '../../support/dns/coredns-ground.ts'
import { likeCoreDns } from '../../support/dns/dns-world.ts'
import { FakeDnsServer, reply, type Told } from '../../support/dns/fake-dns-server.ts'
import { requires } from '../../support/requires.ts'

const never = new AbortController().signal
const log = { debug: () => undefined, warn: () => undefined }

async function check(ground: CoreDnsGround, sought: Sought): Promise<DnsCheck> {
  const kubeconfigPath = ground.api.kubeconfig
  const { parts } = await openApi(
    { kubeconfigPath, context: undefined, env: {}, clock, random, log, userAgent: 'evenkeel/test' },
    never,
  )
  const reached = { reaches: async () => true }
  const ports = {
    objects: kubeDnsObjects(parts),
    asker: new SocketAsker(clock, random),
    loopback: new ForwardedLoopback({ ...parts, clock, random }),
    control: reached,
    clock,
    random,
  }
  return checkDns({ ...ports, sought, timeoutMs: 500 }, never)
}

/** Checks until that is said: CoreDNS hears of things in its own time. */
async function untilSaid(ground: CoreDnsGround, wanted: string, sought: Sought = {}): Promise<DnsCheck> {
  let last = ''
  return waitFor({ what: wanted, limitMs: 30_000, everyMs: 100, explain: () => last }, async () => {
    const checked = await check(ground, sought)
    const words = checked.findings.map(({ code, subjects }) => `${code} ${subjects.map(({ name }) => name).join(', ')}`)
    last = `${words.join('; ')}: ${JSON.stringify(checked.scene.paths)}`
    return words.join('; ') === wanted ? checked : undefined
  })
}

/** As a resolver that is cut off from here: what is asked of it gets no answer. */
const silent = (): Told => []
const dropsChaos = (query: Buffer): Told =>
  decode(query).questions?.[0]?.class === 'CH' ? [] : [{ bytes: reply(query, { rcode: 3, flags: 0x83 }) }]
/** In a network of its own a resolver knows no name outside. */
const fails = (query: Buffer): Told => [{ bytes: reply(query, { flags: 0x82 }) }]

test('real CoreDNS over real UDP', requires('testbed'), async (t) => {
  const outside = await FakeDnsServer.of(t)
  outside.answering = dropsChaos
  const ground = await CoreDnsGround.of(t, 3, { upstream: () => outside.port })

  await t.test('is well on every rung that the cluster can be asked for', async () => {
    const { verdict, notes, scene } = await untilSaid(ground, 'Healthy dns')
    assert.equal(verdict, 'ok')
    assert.match(notes.join('\n'), /zone cluster\.local: the Corefile of ConfigMap kube-system\/coredns says so/)
    for (const { reading } of scene.paths)
      assert.deepEqual(
        [reading.udp, reading.tcp, reading.data, reading.lost, reading.faults],
        ['answers', 'answers', 'right', 0, []],
      )
  })

  await t.test('whose watch was cut does not know a new Service, and is named', async () => {
    const [, , third] = ground.pods
    third?.door.away()
    ground.service('default', 'new', '10.96.7.8')
    const { verdict, findings } = await untilSaid(ground, 'DataStale coredns-3')
    assert.equal(verdict, 'bad')
    assert.match(findings[0]?.evidence[0] ?? '', /L4: NXDOMAIN for Service default\/new/)
  })

  await t.test('that hears of nothing any more, all of them, is the API’s fault and no pod’s', async () => {
    for (const { door } of ground.pods) door.away()
    ground.service('default', 'newer', '10.96.7.9')
    const { findings } = await untilSaid(ground, 'DataStaleEverywhere coredns-1, coredns-2, coredns-3')
    assert.equal(findings.length, 1)
  })

  await t.test('that stands still is silent, and is named', async () => {
    for (const { door } of ground.pods) await door.back()
    await untilSaid(ground, 'Healthy dns')
    const [, second] = ground.pods
    process.kill(second?.process.pid ?? 0, 'SIGSTOP')
    const { findings } = await untilSaid(ground, 'PodNetworkDead coredns-2')
    assert.match(findings[0]?.evidence[0] ?? '', /UDP 0 of 6 answered \(no answer\); TCP is silent/)
    process.kill(second?.process.pid ?? 0, 'SIGCONT')
    await untilSaid(ground, 'Healthy dns')
  })
})

test('real CoreDNS that has never listed answers SERVFAIL, and is named', requires('testbed'), async (t) => {
  const ground = await CoreDnsGround.of(t, 2, { isHeard: (at) => at === 0 })
  const { findings } = await untilSaid(ground, 'DataStale coredns-2')
  assert.match(findings[0]?.evidence[0] ?? '', /L2: SERVFAIL for kubernetes\.default\.svc\.cluster\.local/)
})

test(
  'real CoreDNS whose way to the servers it forwards to is cut: one pod, then all',
  requires('testbed'),
  async (t) => {
    const servers = [await FakeDnsServer.of(t), await FakeDnsServer.of(t)]
    for (const server of servers) server.answering = likeCoreDns
    const ground = await CoreDnsGround.of(t, 2, { upstream: (at) => servers[at]?.port ?? 0 })
    const outside = { outside: 'example.com' }
    await untilSaid(ground, 'Healthy dns', outside)
    servers[1]?.stop()
    const { verdict } = await untilSaid(ground, 'UpstreamOfOne coredns-2', outside)
    assert.equal(verdict, 'degraded')
    servers[0]?.stop()
    await untilSaid(ground, 'UpstreamDown coredns-1, coredns-2', outside)
  },
)

for (const { what, answering, wanted } of [
  { what: 'all of them are silent', answering: [silent, silent], wanted: 'UpstreamDown coredns-1, coredns-2' },
  { what: 'that of one pod is silent', answering: [dropsChaos, silent], wanted: 'UpstreamOfOne coredns-2' },
  { what: 'they answer for names and drop class CH', answering: [dropsChaos, dropsChaos], wanted: 'Healthy dns' },
  { what: 'they fail at every name', answering: [fails, fails], wanted: 'Healthy dns' },
  { what: 'nothing listens at that of one pod', answering: [dropsChaos, undefined], wanted: 'UpstreamOfOne coredns-2' },
])
  test(
    `real CoreDNS with a cold cache, and the servers that it forwards to: where ${what}, no pod is dead and none is to be repaired`,
    requires('testbed'),
    async (t) => {
      const servers = [await FakeDnsServer.of(t), await FakeDnsServer.of(t)]
      for (const [at, server] of servers.entries()) {
        const told = answering[at]
        if (told === undefined) server.stop()
        else server.answering = told
      }
      const ground = await CoreDnsGround.of(t, 2, { upstream: (at) => servers[at]?.port ?? 0 })
      const { findings, scene } = await untilSaid(ground, wanted)
      assert.ok(findings.every(({ code }) => CAUSES[code].repair === 'none'))
      for (const { reading } of scene.paths)
        assert.deepEqual([reading.udp, reading.tcp, reading.data, reading.lost], ['answers', 'answers', 'right', 0])
    },
  )

test(
  'real CoreDNS that forwards to itself, and has no plugin that ends it, is alive and has no upstream',
  requires('testbed'),
  async (t) => {
    const ground = await CoreDnsGround.of(t, 2, { upstream: (_, own) => own })
    const { scene } = await untilSaid(ground, 'UpstreamDown coredns-1, coredns-2')
    for (const { reading } of scene.paths)
      assert.deepEqual([reading.udp, reading.tcp, reading.data], ['answers', 'answers', 'right'])
  },
)

test(
  'real CoreDNS that is asked for a zone that it forwards, to servers that are silent or gone: nothing is known of that zone',
  requires('testbed'),
  async (t) => {
    const server = await FakeDnsServer.of(t)
    server.answering = silent
    const ground = await CoreDnsGround.of(t, 2, { upstream: () => server.port })
    const pods = 'coredns-1, coredns-2'
    const { verdict } = await untilSaid(ground, `ZoneUnanswered ${pods}; UpstreamDown ${pods}`, {
      zone: 'corp.internal',
    })
    assert.equal(verdict, 'degraded')
    // CoreDNS itself says SERVFAIL then.
    server.stop()
    await untilSaid(ground, `ZoneUnanswered ${pods}; UpstreamDown ${pods}`, { zone: 'corp.internal' })
  },
)

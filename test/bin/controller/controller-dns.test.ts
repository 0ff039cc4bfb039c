import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { decode } from 'dns-packet'
import { ENDPOINT_SLICES, NAMESPACES, PODS, SERVICES } from '../../../src/sim/world/api-resource.ts'
import { createObject } from '../../../src/sim/world/create-object.ts'
import { MERGE_PATCH, patchObject } from '../../../src/sim/world/patch-object.ts'
import type { World } from '../../../src/sim/world/world.ts'
import { readManifests, shipped } from '../../support/agent-chart.ts'
import { ControllerPlace, leaderOf, until } from '../../support/controller/controller-place.ts'
import { answerOf } from '../../support/dns/dns-world.ts'
import { FakeDnsServer, reply } from '../../support/dns/fake-dns-server.ts'
import { grantedBy } from '../../support/granted-rights.ts'
import { isGranted } from '../../support/requested-rights.ts'
import { evenkeel } from '../evenkeel-process.ts'

const ADDRESS = '127.0.0.1'
const NAMESPACE = 'kube-system'
const LABELS = { 'k8s-app': 'kube-dns' }

/** DNS of two pods as the API of an embedded cluster tells of it, and the servers on loopback that they are. */
async function dnsInWorld(t: TestContext, world: World): Promise<readonly FakeDnsServer[]> {
  const servers = await Promise.all([FakeDnsServer.of(t), FakeDnsServer.of(t), FakeDnsServer.of(t)])
  for (const server of servers) server.answering = answers
  const [service, ...pods] = servers
  createObject(world, { resource: NAMESPACES, body: { metadata: { name: NAMESPACE } } })
  const api = { clusterIP: ADDRESS, clusterIPs: [ADDRESS], ports: [{ port: 443 }] }
  createObject(world, {
    resource: SERVICES,
    namespace: 'default',
    body: { metadata: { name: 'kubernetes' }, spec: api },
  })
  const ports = [{ name: 'dns', protocol: 'UDP', port: service?.port, targetPort: 53 }]
  const spec = { clusterIP: ADDRESS, clusterIPs: [ADDRESS], selector: LABELS, ports }
  createObject(world, { resource: SERVICES, namespace: NAMESPACE, body: { metadata: { name: 'kube-dns' }, spec } })
  for (const [at, { port }] of pods.entries()) addPod(world, `coredns-${at + 1}`, port)
  return pods
}

function addPod(world: World, name: string, port: number): void {
  const containers = [{ name: 'coredns', image: 'registry.example/coredns:v1.12.1' }]
  const body = { metadata: { name, labels: LABELS }, spec: { nodeName: `n${name.slice(-1)}`, containers } }
  const old = createObject(world, { resource: PODS, namespace: NAMESPACE, body })
  const conditions = [{ type: 'Ready', status: 'True' }]
  const patch = { status: { phase: 'Running', podIP: ADDRESS, podIPs: [{ ip: ADDRESS }], conditions } }
  patchObject(world, { resource: PODS, old, contentType: MERGE_PATCH, patch, statusOnly: true })
  const slice = {
    metadata: { name: `kube-dns-${name}`, labels: { 'kubernetes.io/service-name': 'kube-dns' } },
    addressType: 'IPv4',
    ports: [{ name: 'dns', protocol: 'UDP', port }],
    endpoints: [
      { addresses: [ADDRESS], conditions: { serving: true }, targetRef: { kind: 'Pod', name, uid: old.metadata.uid } },
    ],
  }
  createObject(world, { resource: ENDPOINT_SLICES, namespace: NAMESPACE, body: slice })
}

/** As CoreDNS does; the only Service beside that of DNS is that of the API. */
const answers: FakeDnsServer['answering'] = (query) => {
  const name = decode(query).questions?.[0]?.name ?? ''
  return name.startsWith('kubernetes.default.svc.')
    ? [{ bytes: reply(query, { answers: [{ type: 'A', name, ttl: 5, data: ADDRESS }] }) }]
    : answerOf(query, 'cluster.local')
}

const KUBE_DNS = { namespace: 'kube-system', name: 'kube-dns' }

/** As the chart gives them with dns.enabled, which its own test shows. */
const GRANTED = [
  ...grantedBy(readManifests(shipped('evenkeel.yaml')).filter(({ metadata }) => !metadata.name.includes('ingress'))),
  ...grantedBy(readManifests(shipped('dns-rbac.yaml'))).filter((right) => !right.includes(' namespaces ')),
  ...['patch  services/status kube-system *', 'create  events kube-system *'],
]

interface Status {
  readonly conditions?: readonly { readonly type: string; readonly status: string; readonly reason: string }[]
}

/** `evenkeel.dev/DNSHealthy False UdpDead`, of the Service of DNS. */
const conditionsIn = ({ world }: ControllerPlace): readonly string[] => {
  const { conditions = [] } = (world.store.get(SERVICES, KUBE_DNS)?.status ?? {}) as Status
  return conditions.map(({ type, status, reason }) => `${type} ${status} ${reason}`)
}

test('the leader of two controllers says of the Service that a pod is dead over UDP, by a condition, an Event and its page', async (t) => {
  const place = await ControllerPlace.of(t, 2)
  const [, second] = await dnsInWorld(t, place.world)
  second?.stopUdp()
  const words = ['--dns', '--dns-interval', '5s', '--node-name', 'n1']
  const controllers = [await place.controller(...words), await place.controller(...words)]
  const ill = ['evenkeel.dev/DNSHealthy False UdpDead']
  await until('the condition', () => conditionsIn(place).join() === ill.join(), 30_000)
  const events = () => place.events().filter((event) => event.startsWith('kube-dns'))
  await until('the Event', () => events().length === 1)
  assert.match(events()[0] ?? '', /^kube-dns: UdpDead: Pod coredns-2: the pod answers over TCP but not over UDP\./)
  const leader = await leaderOf(controllers)
  const standby = controllers.find((controller) => controller !== leader)
  const { dns } = await leader.health()
  assert.deepEqual([dns?.health?.reason, dns?.repair, dns?.state === 'standby'], ['UdpDead', null, false])
  assert.match(await leader.page('/metrics'), /^evenkeel_dns_finding\{code="UdpDead",subject="pod\/coredns-2"\} 1$/m)
  const { state, checks } = (await standby?.health())?.dns ?? {}
  assert.deepEqual([state, checks], ['standby', 0])
  assert.equal(await leader.end('SIGTERM'), 0)
  assert.ok(standby)
  await leaderOf([standby])
  await until(
    'the next leader to check',
    async () => (await standby.health()).dns?.health?.reason === 'UdpDead',
    30_000,
  )
  // It is there already.
  assert.equal(events().length, 1)
  assert.ok(place.needed.has('patch  services/status kube-system kube-dns'))
  assert.deepEqual(
    [...place.needed].filter((right) => !isGranted(right, GRANTED)),
    [],
  )
})

test('a cluster without a Service of DNS is said to be one, and the controller goes on', async (t) => {
  const place = await ControllerPlace.of(t, 2)
  const controller = await place.controller('--dns', '--dns-interval', '5s')
  await until('the trouble to be told', async () => (await controller.health()).trouble.length > 0, 30_000)
  const why = 'no Service of this cluster looks like its DNS: none has a UDP port for DNS'
  assert.deepEqual((await controller.health()).trouble, [why])
  await until('grants', () => place.grants() !== undefined)
  await dnsInWorld(t, place.world)
  await until('the condition', () => conditionsIn(place).length > 0, 30_000)
  assert.equal(controller.said.filter((line) => line.includes(why)).length, 1)
})

test('options of DNS without what they take end with exit code 2', async () => {
  const wrong = await evenkeel('controller', '--namespace', 'edge', '--dns', '--dns-repair')
  assert.equal(wrong.code, 2)
  assert.match(wrong.err, /^error: --dns-repair needs --dns-image/)
})

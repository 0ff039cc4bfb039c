import type { TestContext } from 'node:test'
import { decode } from 'dns-packet'
import { ENDPOINT_SLICES, NAMESPACES, PODS, SERVICES } from '../../../src/sim/world/api-resource.ts'
import { createObject } from '../../../src/sim/world/create-object.ts'
import { MERGE_PATCH, patchObject } from '../../../src/sim/world/patch-object.ts'
import type { World } from '../../../src/sim/world/world.ts'
import { answerOf } from './dns-world.ts'
import { FakeDnsServer, reply } from './fake-dns-server.ts'

const ADDRESS = '127.0.0.1'
const NAMESPACE = 'kube-system'
const LABELS = { 'k8s-app': 'kube-dns' }

/** DNS of two pods as the API of an embedded cluster tells of it, and the servers on loopback that they are. */
export async function dnsInWorld(t: TestContext, world: World): Promise<readonly FakeDnsServer[]> {
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

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { SocketAsker } from '../../../src/dns/io/socket-asker.ts'
import type { DnsService } from '../../../src/dns/model/dns-objects.ts'
import type { DnsObjects } from '../../../src/dns/ports/dns-objects.ts'
import { checkDns, type DnsCheck } from '../../../src/dns/run/check-dns.ts'
import type { Sought } from '../../../src/dns/run/deployment.ts'
import { systemClock as clock } from '../../../src/ground/machine/system-clock.ts'
import { systemRandom } from '../../../src/ground/machine/system-random.ts'
import { answerOf, type DnsWorld, dnsWorld, likeCoreDns } from '../../support/dns/dns-world.ts'
import { FakeDnsServer } from '../../support/dns/fake-dns-server.ts'
import { SeededRandom } from '../../support/seeded-random.ts'

const never = new AbortController().signal

const check = (objects: DnsObjects, isInside: boolean, sought: Sought = {}): Promise<DnsCheck> =>
  checkDns(
    {
      objects,
      asker: new SocketAsker(clock, systemRandom),
      loopback: { ask: async () => ({ kind: 'notAsked', text: 'get pods/portforward: forbidden' }) },
      control: { reaches: async () => isInside },
      clock,
      random: new SeededRandom(1),
      sought,
      timeoutMs: 100,
    },
    never,
  )

const said = ({ findings }: DnsCheck): readonly string[] =>
  findings.map(({ code, subjects }) => `${code} ${subjects.map(({ name }) => name).join(', ')}`)

/** A cluster of which nothing is reached but a node port, over UDP at one port and over TCP at another one. */
async function exposedWorld(
  t: TestContext,
): Promise<{ readonly objects: DnsObjects; readonly nodePort: FakeDnsServer }> {
  const world = await dnsWorld(t)
  for (const server of [...world.pods, world.service]) server.stop()
  const [nodePort, overTcp] = [await FakeDnsServer.of(t), await FakeDnsServer.of(t)]
  nodePort.answering = likeCoreDns
  nodePort.answeringTcp = () => []
  overTcp.answering = likeCoreDns
  const objects: DnsObjects = {
    ...world.objects,
    services: async (signal) =>
      (await world.objects.services(signal)).map((one) =>
        one.name === 'kube-dns' ? withNodePorts(one, nodePort.port, overTcp.port) : one,
      ),
    nodes: async () => [{ name: 'n1', ready: true, addresses: ['127.0.0.1'] }],
  }
  return { objects, nodePort }
}

function withNodePorts(service: DnsService, udp: number, tcp: number): DnsService {
  const [port] = service.ports
  if (port === undefined) return service
  const overTcp = { ...port, name: 'dns-tcp', protocol: 'TCP', nodePort: tcp }
  return { ...service, ports: [{ ...port, nodePort: udp }, overTcp] }
}

test('a place that reaches a node port alone calls DNS well where each pod was met there', async (t) => {
  const { objects } = await exposedWorld(t)
  const checked = await check(objects, false)
  assert.deepEqual([checked.verdict, said(checked)], ['ok', ['HealthyFromOutside kube-system/kube-dns']])
  assert.deepEqual(
    checked.scene.paths.map(({ target, reading: { udp, tcp } }) => [target.kind, udp, tcp]),
    [['exposed', 'answers', 'answers']],
  )
})

test('a node port that drops UDP is distinguished from one that is not reached: it answers over TCP, at a port of its own', async (t) => {
  const { objects, nodePort } = await exposedWorld(t)
  nodePort.answering = () => []
  const checked = await check(objects, false)
  assert.equal(said(checked)[0], 'ExposedUdpDead kube-system/kube-dns')
  assert.equal(checked.verdict, 'bad')
})

test('a node port where one of two pods behind it is dead over UDP loses queries, and says so', async (t) => {
  const { objects, nodePort } = await exposedWorld(t)
  // One pod for each second query: kube-proxy draws, and a draw may come out so that all of the first three are lost.
  let turn = 0
  nodePort.answering = (query) => {
    turn += 1
    return turn % 2 === 0 ? [] : likeCoreDns(query)
  }
  const checked = await check(objects, false)
  assert.equal(said(checked)[0], 'ExposedLoses kube-system/kube-dns')
})

test('a place inside of the cluster does not ask node ports: it asks pods and the cluster IP', async (t) => {
  const world = await dnsWorld(t)
  const nodePort = await FakeDnsServer.of(t)
  const objects: DnsObjects = {
    ...world.objects,
    services: async (signal) =>
      (await world.objects.services(signal)).map((one) => withNodePorts(one, nodePort.port, nodePort.port)),
    nodes: async () => [{ name: 'n1', ready: true, addresses: ['127.0.0.1'] }],
  }
  const { verdict, scene } = await check(objects, true)
  assert.deepEqual(
    [verdict, scene.paths.map(({ target }) => target.kind), nodePort.asked],
    ['ok', ['pod', 'pod', 'service'], []],
  )
})

const withoutCorefile = ({ objects }: DnsWorld, kubelet?: string): DnsObjects => ({
  ...objects,
  configMap: async ({ name }) => (name === 'kubelet-config' && kubelet !== undefined ? { kubelet } : undefined),
})

/** DNS of another zone, which also says whose address the API's is. */
async function corpWorld(t: TestContext): Promise<DnsWorld> {
  const world = await dnsWorld(t)
  for (const server of [...world.pods, world.service]) server.answering = (query) => answerOf(query, 'corp.example')
  return world
}

test('where no Corefile is read, DNS itself is asked for its zone', async (t) => {
  const world = await corpWorld(t)
  const checked = await check(withoutCorefile(world), true)
  assert.deepEqual([checked.verdict, checked.askedZone.zone], ['ok', 'corp.example'])
  assert.ok(
    checked.notes.includes('zone corp.example: DNS answers so for the cluster IP of the API, queried from here'),
    JSON.stringify(checked.notes),
  )
})

test('the zone that pods search comes before what DNS says of itself', async (t) => {
  const world = await corpWorld(t)
  const resolver = { addresses: [], zone: 'corp.example' }
  const checked = await check(withoutCorefile(world), true, { resolver })
  assert.equal(checked.askedZone.zone, 'corp.example')
  assert.ok(checked.notes.includes('zone corp.example: pods search it'))
})

test('the Service that kubelets name is taken, whatever it is called', async (t) => {
  const world = await dnsWorld(t)
  const objects: DnsObjects = {
    ...world.objects,
    services: async (signal) =>
      (await world.objects.services(signal)).flatMap((one) =>
        one.name === 'kube-dns'
          ? [
              { ...one, name: 'resolver', namespace: 'infra' },
              { ...one, addresses: ['192.0.2.99'] },
            ]
          : [one],
      ),
    configMap: async ({ name }) =>
      name === 'kubelet-config' ? { kubelet: 'clusterDNS:\n- 127.0.0.1\nclusterDomain: cluster.local\n' } : undefined,
  }
  const { scene, notes } = await check(objects, true)
  assert.deepEqual([scene.service.namespace, scene.service.name], ['infra', 'resolver'])
  assert.ok(notes.includes('Service infra/resolver: pods send their queries to 127.0.0.1'))
})

test('no pod of DNS runs and the Service is silent: that is bad, whatever the API says of it', async (t) => {
  const world = await dnsWorld(t, 2)
  world.service.stop()
  const pods: DnsObjects['pods'] = async (...at) =>
    (await world.objects.pods(...at)).map((pod) => ({ ...pod, phase: 'Pending', addresses: [] }))
  const checked = await check({ ...world.objects, pods, endpoints: async () => [] }, true)
  assert.deepEqual([checked.verdict, said(checked)], ['bad', ['ServiceIll kube-system/kube-dns']])
})

test('a pod that was started half a minute ago and does not listen yet is not ill; one that does not for two minutes is', async (t) => {
  const seconds = (ago: number): string => new Date(Date.now() - ago * 1_000).toISOString()
  const started = async (ago: number, isNodeReady = true): Promise<readonly string[]> => {
    const nodes: DnsObjects['nodes'] = async () => [
      { name: 'n1', ready: true, addresses: [] },
      { name: 'n2', ready: isNodeReady, addresses: [] },
    ]
    const world = await dnsWorld(t, 2, { nodes })
    world.pods[1]?.stop()
    const pods: DnsObjects['pods'] = async (...at) =>
      (await world.objects.pods(...at)).map((pod, at) =>
        at === 1 ? { ...pod, ready: false, runningSince: seconds(ago) } : pod,
      )
    const endpoints: DnsObjects['endpoints'] = async (...at) =>
      (await world.objects.endpoints(...at)).map((one, at) => (at === 1 ? { ...one, serving: false } : one))
    return said(await check({ ...world.objects, pods, endpoints }, true))
  }
  assert.deepEqual(await started(30), ['PodStarting coredns-2'])
  assert.deepEqual(await started(120), ['PodNetworkDead coredns-2'])
  assert.deepEqual(await started(30, false), ['NodeDown coredns-2, n2'])
})

import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { kubeDnsObjects } from '../../../src/dns/io/kube-dns-objects.ts'
import type { DnsEndpoint, DnsPod, DnsService } from '../../../src/dns/model/dns-objects.ts'
import type { DnsObjects } from '../../../src/dns/ports/dns-objects.ts'
import { openApi } from '../../../src/ground/kube/open-cluster.ts'
import { kubeconfig } from '../../../testbed/pki/kubeconfig.ts'
import { answering, FakeApiServer } from '../../ground/kube/fake-api-server.ts'
import { aFolder, serverUrl } from '../../ground/kube/opened.ts'
import { SeededRandom } from '../../support/seeded-random.ts'
import { VirtualClock } from '../../support/virtual-clock.ts'

const never = new AbortController().signal
const SERVICES = '/api/v1/services'
const PODS = '/api/v1/namespaces/kube-system/pods'
const SLICES = '/apis/discovery.k8s.io/v1/namespaces/kube-system/endpointslices'
const SERVICE = { namespace: 'kube-system', name: 'kube-dns' }

interface Ground {
  readonly objects: DnsObjects
  readonly server: FakeApiServer
}

/** An API server that lists these objects at this path. */
async function listing(t: TestContext, path: string, items: readonly object[]): Promise<Ground> {
  const server = await new FakeApiServer('/unused').start()
  t.after(() => server.stop())
  server.putInTheWay(`GET ${path}`, answering(200, { metadata: { resourceVersion: '7' }, items }))
  const user = { token: 'let-me-in' }
  const kubeconfigPath = join(await aFolder(t), 'kubeconfig')
  const authorityPem = server.authority.certificatePem
  await writeFile(kubeconfigPath, kubeconfig({ server: serverUrl(server), authorityPem, user }))
  const log = { debug: () => undefined, warn: assert.fail }
  const clock = new VirtualClock(new Date().toISOString())
  const options = { kubeconfigPath, context: undefined, env: {}, clock, log, userAgent: 'evenkeel/test' }
  const { parts } = await openApi({ ...options, random: new SeededRandom(1) }, never)
  return { objects: kubeDnsObjects(parts), server }
}

const metadata = (name: string, more: object = {}) => ({
  metadata: { namespace: 'kube-system', name, uid: `uid-${name}`, resourceVersion: '1', ...more },
})

const DUAL_STACK = {
  clusterIPs: ['10.96.0.10', 'fd00::a'],
  selector: { 'k8s-app': 'kube-dns' },
  ports: [
    { name: 'dns', protocol: 'UDP', port: 53, targetPort: 5353, nodePort: 30_053 },
    { name: 'dns-tcp', protocol: 'TCP', port: 53, targetPort: 'dns-tcp' },
  ],
}

const aService = async (t: TestContext, spec: object, more: object = {}): Promise<DnsService> => {
  const raw = { ...metadata('kube-dns', { creationTimestamp: '2026-01-01T00:00:00Z' }), spec, ...more }
  const { objects } = await listing(t, SERVICES, [raw])
  const [service] = await objects.services(never)
  return service ?? assert.fail('no Service')
}

describe('a Service is read', () => {
  test('with the addresses of both families, its ports, and where it is reached from outside', async (t) => {
    const status = { loadBalancer: { ingress: [{ ip: '192.0.2.53' }, { hostname: 'dns.example' }] } }
    const service = await aService(t, { ...DUAL_STACK, externalIPs: ['192.0.2.9'] }, { status })
    assert.deepEqual(service, {
      ...SERVICE,
      addresses: ['10.96.0.10', 'fd00::a'],
      ports: [
        { name: 'dns', protocol: 'UDP', port: 53, targetPort: '5353', nodePort: 30_053 },
        { name: 'dns-tcp', protocol: 'TCP', port: 53, targetPort: 'dns-tcp' },
      ],
      selector: { 'k8s-app': 'kube-dns' },
      outsideAddresses: ['192.0.2.9', '192.0.2.53'],
      isUneven: false,
      createdAt: '2026-01-01T00:00:00Z',
    })
  })

  test('headless and without a selector: it has neither addresses nor a selector', async (t) => {
    const { addresses, selector } = await aService(t, { clusterIPs: ['None'] })
    assert.deepEqual([addresses, selector], [[], undefined])
  })

  test('with an external traffic policy: outside, a node leads to its own endpoints alone', async (t) => {
    for (const [externalTrafficPolicy, isLocalOutside] of [
      ['Local', true],
      ['Cluster', undefined],
    ] as const)
      assert.equal((await aService(t, { ...DUAL_STACK, externalTrafficPolicy })).isLocalOutside, isLocalOutside)
  })

  const POLICIES: readonly (readonly [spec: object, isUneven: boolean, isLocal: boolean])[] = [
    [{ sessionAffinity: 'None', internalTrafficPolicy: 'Cluster' }, false, false],
    [{ sessionAffinity: 'ClientIP' }, true, false],
    [{ internalTrafficPolicy: 'Local' }, true, true],
    [{ trafficDistribution: 'PreferClose' }, true, false],
    [{ trafficDistribution: 'PreferSameNode', internalTrafficPolicy: 'Cluster' }, true, false],
    [{ externalTrafficPolicy: 'Local' }, false, false],
  ]
  for (const [spec, isUneven, isLocal] of POLICIES)
    test(`with ${JSON.stringify(spec)}: ${isUneven ? 'uneven' : 'even'}${isLocal ? ' and local' : ''}`, async (t) => {
      const service = await aService(t, { ...DUAL_STACK, ...spec })
      assert.deepEqual([service.isUneven, 'isLocal' in service, service.isLocal === true], [isUneven, isLocal, isLocal])
    })
})

const aPod = async (t: TestContext, raw: object): Promise<DnsPod> => {
  const { objects } = await listing(t, PODS, [raw])
  const [pod] = await objects.pods({ namespace: 'kube-system', selector: { app: 'dns' } }, never)
  return pod ?? assert.fail('no pod')
}

describe('a pod is read', () => {
  const running = {
    spec: {
      nodeName: 'n1',
      containers: [
        { image: 'registry.example/coredns:v1.12.1', ports: [{ name: 'metrics', containerPort: 9153 }] },
        { image: 'registry.example/proxy:1' },
      ],
      volumes: [
        { name: 'config', configMap: { name: 'coredns' } },
        { name: 'tmp', emptyDir: {} },
      ],
    },
    status: {
      phase: 'Running',
      podIP: '10.1.0.5',
      podIPs: [{ ip: '10.1.0.5' }, { ip: 'fd01::5' }],
      conditions: [{ type: 'Ready', status: 'True' }],
      containerStatuses: [{ lastState: { terminated: { reason: 'OOMKilled' } } }, {}],
    },
  }

  test('with all of its addresses, its node, its images and why it was ended', async (t) => {
    assert.deepEqual(await aPod(t, { ...metadata('coredns-1'), ...running }), {
      namespace: 'kube-system',
      name: 'coredns-1',
      uid: 'uid-coredns-1',
      node: 'n1',
      addresses: ['10.1.0.5', 'fd01::5'],
      phase: 'Running',
      ready: true,
      terminating: false,
      images: ['registry.example/coredns:v1.12.1', 'registry.example/proxy:1'],
      metricsPort: 9153,
      configMaps: ['coredns'],
      endedBy: ['OOMKilled'],
    })
  })

  test('runs since its last container was started, and since nothing where one does not run', async (t) => {
    const sinceOf = async (created: object, states: readonly object[]): Promise<string | undefined> => {
      const containerStatuses = states.map((state) => ({ state }))
      const status = { ...running.status, containerStatuses }
      return (await aPod(t, { ...metadata('coredns-1', created), ...running, status })).runningSince
    }
    const since = (...states: readonly object[]): Promise<string | undefined> => sinceOf({}, states)
    const [early, late] = ['2026-01-01T00:00:00Z', '2026-01-01T00:05:00Z'].map((startedAt) => ({
      running: { startedAt },
    }))
    assert.equal(await since(early ?? {}, late ?? {}), '2026-01-01T00:05:00Z')
    assert.equal(await since(early ?? {}, { waiting: { reason: 'CrashLoopBackOff' } }), undefined)
    // The clock of its node is behind that of the API server.
    assert.equal(await sinceOf({ creationTimestamp: '2026-01-01T00:09:00Z' }, [late ?? {}]), '2026-01-01T00:09:00Z')
  })

  test('that is being deleted: it is terminating', async (t) => {
    const pod = await aPod(t, { ...metadata('coredns-1', { deletionTimestamp: '2026-01-02T00:00:00Z' }), ...running })
    assert.equal(pod.terminating, true)
  })

  test('that is Pending: it has no node and no address, and is not Ready', async (t) => {
    const { node, addresses, phase, ready } = await aPod(t, {
      ...metadata('coredns-1'),
      spec: { containers: [{ image: 'coredns' }] },
      status: { phase: 'Pending' },
    })
    assert.deepEqual([node, addresses, phase, ready], [undefined, [], 'Pending', false])
  })

  test('that is not Ready', async (t) => {
    const status = { ...running.status, conditions: [{ type: 'Ready', status: 'False' }] }
    assert.equal((await aPod(t, { ...metadata('coredns-1'), ...running, status })).ready, false)
  })

  test('by the selector of its Service', async (t) => {
    const { objects, server } = await listing(t, PODS, [])
    await objects.pods({ namespace: 'kube-system', selector: { app: 'dns', tier: 'node' } }, never)
    assert.equal(server.requests.at(-1)?.query.get('labelSelector'), 'app=dns,tier=node')
  })
})

test('of the pods on a node running ones are listed, and those with the address of the node are left out', async (t) => {
  const { objects, server } = await listing(t, '/api/v1/pods', [
    { ...metadata('app'), spec: {}, status: { podIP: '10.1.0.7' } },
    { ...metadata('proxy'), spec: { hostNetwork: true }, status: { podIP: '192.0.2.1' } },
    { ...metadata('starting'), spec: {}, status: {} },
  ])
  assert.deepEqual(await objects.addressesOfPodsOn('n1', never), [{ uid: 'uid-app', address: '10.1.0.7' }])
  assert.equal(server.requests.at(-1)?.query.get('fieldSelector'), 'spec.nodeName=n1,status.phase=Running')
})

test('nodes are read with their IP addresses, and those on which no relay runs are marked', async (t) => {
  const node = (name: string, labels: object, more: object = {}) => ({
    metadata: { name, labels },
    status: { conditions: [{ type: 'Ready', status: 'True' }], addresses: [] },
    ...more,
  })
  const taints = [{ key: 'virtual-kubelet.io/provider', value: 'azure', effect: 'NoSchedule' }]
  const addresses = [
    { type: 'InternalIP', address: '192.0.2.1' },
    { type: 'ExternalIP', address: '198.51.100.1' },
    { type: 'Hostname', address: 'n1' },
  ]
  const conditions = [{ type: 'Ready', status: 'Unknown' }]
  const { objects } = await listing(t, '/api/v1/nodes', [
    node('linux', { 'kubernetes.io/os': 'linux' }, { status: { addresses, conditions } }),
    node('unlabelled', { type: 'worker' }, { spec: { taints: [{ key: 'dedicated', effect: 'NoSchedule' }] } }),
    node('windows', { 'kubernetes.io/os': 'windows' }),
    node('by-label', { type: 'virtual-kubelet', 'kubernetes.io/os': 'linux' }),
    node('by-taint', {}, { spec: { taints } }),
  ])
  assert.deepEqual(await objects.nodes(never), [
    { name: 'linux', ready: false, addresses: ['192.0.2.1', '198.51.100.1'] },
    { name: 'unlabelled', ready: true, addresses: [] },
    { name: 'windows', ready: true, addresses: [], runsNoRelay: true },
    { name: 'by-label', ready: true, addresses: [], runsNoRelay: true },
    { name: 'by-taint', ready: true, addresses: [], runsNoRelay: true },
  ])
})

describe('endpoints are read', () => {
  const ports = [
    { name: 'dns-tcp', protocol: 'TCP', port: 5354 },
    { name: 'dns', protocol: 'UDP', port: 5353 },
  ]
  const slice = (name: string, endpoints: readonly object[], more: object = {}) => ({
    ...metadata(name),
    ports,
    endpoints,
    ...more,
  })
  const of = (uid: string, addresses: readonly string[], conditions?: object) => ({
    addresses,
    targetRef: { kind: 'Pod', uid },
    ...(conditions === undefined ? {} : { conditions }),
  })
  const read = async (t: TestContext, slices: readonly object[]): Promise<readonly DnsEndpoint[]> =>
    (await listing(t, SLICES, slices)).objects.endpoints(SERVICE, never)

  test('of all EndpointSlices of the Service, of both families', async (t) => {
    const { objects, server } = await listing(t, SLICES, [
      slice('v4', [of('u1', ['10.1.0.5'], { ready: true, serving: true })], { addressType: 'IPv4' }),
      slice('v6', [of('u1', ['fd01::5'], { ready: true, serving: true })], { addressType: 'IPv6' }),
    ])
    assert.deepEqual(await objects.endpoints(SERVICE, never), [
      { addresses: ['10.1.0.5'], serving: true, udpPort: 5353, podUid: 'u1' },
      { addresses: ['fd01::5'], serving: true, udpPort: 5353, podUid: 'u1' },
    ])
    assert.equal(server.requests.at(-1)?.query.get('labelSelector'), 'kubernetes.io/service-name=kube-dns')
  })

  const CONDITIONS: readonly (readonly [conditions: object | undefined, serving: boolean])[] = [
    [{ ready: true, serving: true, terminating: false }, true],
    [{ ready: false, serving: true, terminating: true }, true],
    [{ ready: false, serving: false }, false],
    [{ ready: true, serving: false }, false],
    [{ ready: true }, true],
    [{ ready: false }, false],
    [{}, true],
    [undefined, true],
  ]
  for (const [conditions, serving] of CONDITIONS)
    test(`with conditions ${JSON.stringify(conditions)}: ${serving ? 'serving' : 'not serving'}`, async (t) => {
      const endpoints = await read(t, [slice('a', [of('u1', ['10.1.0.5'], conditions)])])
      assert.deepEqual(
        endpoints.map((one) => one.serving),
        [serving],
      )
    })

  test('with the port that the Service calls so, wherever it is listed', async (t) => {
    const doq = { name: 'doq', protocol: 'UDP', port: 853 }
    for (const [listed, portName, udpPort] of [
      [[doq, ...ports], 'dns', 5353],
      [[...ports, doq], 'dns', 5353],
      [[doq, ...ports], 'doq', 853],
      [[{ protocol: 'UDP', port: 5353 }], '', 5353],
    ] as const) {
      const { objects } = await listing(t, SLICES, [slice('a', [of('u1', ['10.1.0.5'])], { ports: listed })])
      const [endpoint] = await objects.endpoints({ ...SERVICE, portName }, never)
      assert.equal(endpoint?.udpPort, udpPort)
    }
    const { objects } = await listing(t, SLICES, [slice('a', [of('u1', ['10.1.0.5'])], { ports: [doq] })])
    const [endpoint] = await objects.endpoints({ ...SERVICE, portName: 'dns' }, never)
    assert.equal(endpoint?.udpPort, undefined)
  })

  test('without a port over UDP, and of no pod', async (t) => {
    const endpoints = [
      { addresses: ['192.0.2.7'], targetRef: { kind: 'Node', uid: 'n' } },
      { addresses: ['192.0.2.8'] },
    ]
    assert.deepEqual(await read(t, [slice('a', endpoints, { ports: [ports[0]] })]), [
      { addresses: ['192.0.2.7'], serving: true },
      { addresses: ['192.0.2.8'], serving: true },
    ])
  })
})

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { DnsEndpoint, DnsService } from '../../../src/dns/model/dns-objects.ts'
import type { DnsObjects } from '../../../src/dns/ports/dns-objects.ts'
import { type Deployment, findDeployment, type Sought } from '../../../src/dns/run/deployment.ts'
import { present } from '../../../src/ground/model/present.ts'
import { wallMs } from '../../../src/ground/model/time.ts'
import { objectsOf } from '../../support/dns/dns-world.ts'

const never = new AbortController().signal
const NOW = wallMs(Date.parse('2026-03-01T00:00:00Z'))

/** What is found of a cluster with two pods of DNS, where the API says this otherwise. */
const found = (change: Partial<DnsObjects>, sought: Sought = {}): Promise<Deployment> => {
  const pods = [
    { address: '10.1.0.1', port: 53 },
    { address: '10.1.0.2', port: 53 },
  ]
  const objects = { ...objectsOf({ address: '10.96.0.10', port: 53 }, pods), ...change }
  return findDeployment(objects, { sought, wallMs: NOW }, never)
}

describe('endpoints that serve are counted', () => {
  const endpoint = (address: string, podUid?: string, change: Partial<DnsEndpoint> = {}): DnsEndpoint => ({
    addresses: [address],
    serving: true,
    udpPort: 53,
    ...(podUid === undefined ? {} : { podUid }),
    ...change,
  })
  const TABLE: readonly (readonly [what: string, endpoints: readonly DnsEndpoint[], serving: number])[] = [
    [
      'once for each pod of a Service of both families',
      [
        endpoint('10.1.0.1', 'uid-1'),
        endpoint('fd01::1', 'uid-1'),
        endpoint('10.1.0.2', 'uid-2'),
        endpoint('fd01::2', 'uid-2'),
      ],
      2,
    ],
    [
      'where the slice of one family serves alone',
      [endpoint('10.1.0.1', 'uid-1'), endpoint('fd01::1', 'uid-1', { serving: false })],
      1,
    ],
    [
      'of one family where they are no pods',
      [endpoint('192.0.2.7'), endpoint('192.0.2.8'), endpoint('2001:db8::7'), endpoint('2001:db8::8')],
      2,
    ],
    ['of IPv6 alone', [endpoint('fd01::1'), endpoint('fd01::2'), endpoint('fd01::2')], 2],
    [
      'without those that do not serve, and those without UDP',
      [endpoint('10.1.0.1', 'uid-1', { serving: false }), { addresses: ['10.1.0.2'], serving: true, podUid: 'uid-2' }],
      0,
    ],
  ]
  for (const [what, endpoints, serving] of TABLE)
    test(what, async () => {
      const { known } = await found({ endpoints: async () => endpoints })
      assert.equal(known.service.serving, serving)
    })
})

describe('a pod of both families is asked at the addresses that its Service leads to', () => {
  const [both, v4, v6] = [['10.1.0.1', 'fd01::1'], ['10.1.0.1'], ['fd01::1']]
  const TABLE: readonly (readonly [what: string, service: readonly string[], asked: readonly string[]])[] = [
    ['of IPv4 alone', ['10.96.0.10'], v4],
    ['of IPv6 alone', ['fd00::a'], v6],
    ['of both', ['10.96.0.10', 'fd00::a'], both],
    ['at all of them where the Service has no address', [], both],
  ]
  for (const [what, addresses, asked] of TABLE)
    test(what, async () => {
      const made = objectsOf({ address: '10.96.0.10', port: 53 }, [{ address: '10.1.0.1', port: 53 }])
      const { known } = await found({
        services: async (signal) =>
          (await made.services(signal)).map((one) => (one.name === 'kube-dns' ? { ...one, addresses } : one)),
        pods: async (...of) => (await made.pods(...of)).map((pod) => ({ ...pod, addresses: both })),
      })
      assert.deepEqual(known.pods[0]?.addresses, asked)
    })
})

describe('the newest Service is asked for', () => {
  const corefile = (...directives: readonly string[]): Partial<DnsObjects> => ({
    configMap: async () => ({
      Corefile: `.:53 {\n  kubernetes cluster.local in-addr.arpa {\n${directives.join('\n')}\n  }\n  cache 30\n}\n`,
    }),
  })
  const TABLE: readonly (readonly [directive: string, newest: string | undefined])[] = [
    ['pods insecure', 'shop/cart'],
    ['namespaces shop kube-system', 'shop/cart'],
    ['namespaces default kube-system', 'kube-system/kube-dns'],
    ['namespaces nowhere', undefined],
    ['labels dns in (public)', undefined],
    ['namespace_labels team=shop', undefined],
    ['ignore empty_service', undefined],
    ['# labels dns', 'shop/cart'],
  ]
  for (const [directive, newest] of TABLE)
    test(`by a Corefile with "${directive}": ${newest ?? 'none'}`, async () => {
      const { askedZone } = await found(corefile(directive))
      assert.equal(
        askedZone.newest === undefined ? undefined : `${askedZone.newest.namespace}/${askedZone.newest.name}`,
        newest,
      )
    })

  test('by a Corefile that cannot be read: the newest of all', async () => {
    const { askedZone } = await found({ configMap: async () => undefined })
    assert.equal(askedZone.newest?.name, 'cart')
  })

  test('of those that a CoreDNS knows also if its watch was cut: it opens another one within a minute', async () => {
    const { services } = objectsOf({ address: '10.96.0.10', port: 53 }, [])
    const newestOf = async (secondsAgo: number): Promise<string | undefined> => {
      const createdAt = new Date(NOW - secondsAgo * 1_000).toISOString()
      const withNew: DnsObjects['services'] = async (signal) =>
        (await services(signal)).flatMap((one) =>
          one.name === 'cart' ? [one, { ...one, name: 'brand-new', createdAt }] : [one],
        )
      return (await found({ services: withNew })).askedZone.newest?.name
    }
    assert.deepEqual([await newestOf(60), await newestOf(80)], ['cart', 'brand-new'])
  })

  test('and whether its zone falls through is known', async () => {
    assert.equal((await found(corefile('fallthrough'))).askedZone.fallsThrough, true)
    assert.equal('fallsThrough' in (await found(corefile('fallthrough in-addr.arpa ip6.arpa'))).askedZone, false)
  })
})

test('endpoints are asked at the port of the Service’s port for DNS, not at that of another one over UDP', async () => {
  const { services } = objectsOf({ address: '10.96.0.10', port: 53 }, [])
  const doq = { name: 'doq', protocol: 'UDP', port: 853, targetPort: '853' }
  const byName: Readonly<Record<string, number>> = { dns: 5353, doq: 853 }
  const { known } = await found({
    services: async (signal) =>
      (await services(signal)).map((one) => (one.name === 'kube-dns' ? { ...one, ports: [doq, ...one.ports] } : one)),
    endpoints: async ({ portName = '' }) =>
      ['uid-1', 'uid-2'].map((podUid) => ({
        addresses: ['10.1.0.1'],
        serving: true,
        podUid,
        ...present({ udpPort: byName[portName] }),
      })),
  })
  assert.deepEqual(
    known.pods.map(({ port }) => port),
    [5353, 5353],
  )
})

test('of many nodes three that are Ready are asked at the node port, and each address of a load balancer', async () => {
  const node = (name: string, ready: boolean) => ({ name, ready, addresses: [`addr-${name}`, 'other'] })
  const names = Array.from({ length: 2_000 }, (_, at) => `n${at}`)
  const { outsideAt } = await found({
    nodes: async () => [
      node('down', false),
      { name: 'no-address', ready: true, addresses: [] },
      ...names.map((name) => node(name, true)),
    ],
    services: async () => [
      {
        namespace: 'kube-system',
        name: 'kube-dns',
        addresses: ['10.96.0.10'],
        ports: [
          { name: 'dns', protocol: 'UDP', port: 53, nodePort: 30_053 },
          { name: 'dns-tcp', protocol: 'TCP', port: 53, nodePort: 30_054 },
        ],
        selector: { 'k8s-app': 'kube-dns' },
        outsideAddresses: ['192.0.2.53'],
        isUneven: false,
        createdAt: '2026-01-01T00:00:00Z',
      },
    ],
  })
  assert.deepEqual(outsideAt, [
    { address: '192.0.2.53', port: 53, tcpPort: 53 },
    { address: 'addr-n0', port: 30_053, tcpPort: 30_054 },
    { address: 'addr-n1', port: 30_053, tcpPort: 30_054 },
    { address: 'addr-n2', port: 30_053, tcpPort: 30_054 },
  ])
})

test('a separate Service over the same pods is a way in from outside, and one over others or to another port is none', async () => {
  const service = (name: string, change: Partial<DnsService> = {}): DnsService => ({
    ...{ namespace: 'kube-system', name, addresses: [], selector: { 'k8s-app': 'kube-dns' }, outsideAddresses: [] },
    ...{ ports: [{ name: 'dns', protocol: 'UDP', port: 53, targetPort: '53', nodePort: 30_053 }] },
    ...{ isUneven: false, createdAt: '2026-01-01T00:00:00Z', ...change },
  })
  const dns = service('kube-dns', { addresses: ['10.96.0.10'], ports: [{ name: 'dns', protocol: 'UDP', port: 53 }] })
  const of = async (...beside: readonly DnsService[]) => {
    const nodes = async () => [{ name: 'n1', ready: true, addresses: ['192.0.2.1'] }]
    const { outsideAt, known, notes } = await found({ nodes, services: async () => [...beside, dns] })
    assert.equal(known.service.name, 'kube-dns')
    return { ports: outsideAt.map(({ port }) => port), isLocal: known.service.isLocalOutside ?? false, notes }
  }
  const one = await of(service('dns-nodeport'))
  assert.deepEqual([one.ports, one.isLocal], [[30_053], false])
  assert.match(one.notes.join(), /Service kube-system\/dns-nodeport leads to the same pods/)
  assert.equal((await of(service('dns-nodeport', { isLocalOutside: true }))).isLocal, true)
  assert.deepEqual((await of(service('others', { selector: { app: 'x' } }))).ports, [])
  assert.deepEqual((await of(service('elsewhere', { namespace: 'shop' }))).ports, [])
  const wrong = [{ name: 'dns', protocol: 'UDP', port: 53, targetPort: '9153', nodePort: 30_053 }]
  assert.deepEqual((await of(service('wrong', { ports: wrong }))).ports, [])
})

test('a pod whose container began within the last minute has just started, Ready or not; so has one that began in time to come', async () => {
  const runningSince = async (secondsAgo: number, ready: boolean) => {
    const at = new Date(NOW - secondsAgo * 1_000).toISOString()
    const { pods } = objectsOf({ address: '10.96.0.10', port: 53 }, [{ address: '10.1.0.1', port: 53 }])
    const started: DnsObjects['pods'] = async (...of) =>
      (await pods(...of)).map((pod) => ({ ...pod, ready, runningSince: at }))
    return (await found({ pods: started })).known.pods[0]?.justStarted ?? false
  }
  for (const [secondsAgo, ready, justStarted] of [
    [4, true, true],
    [4, false, true],
    [61, true, false],
    [-3_600, true, true],
  ] as const)
    assert.equal(await runningSince(secondsAgo, ready), justStarted, `${secondsAgo} s ago, Ready ${ready}`)
})

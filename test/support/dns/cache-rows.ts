import assert from 'node:assert/strict'
import { waitFor } from '../../../testbed/machine/wait-for.ts'
import { atNight } from '../roll-bed/at-night.ts'
import { type DnsBed, toPod, WELL } from './dns-bed.ts'

const SERVICE = '10.96.0.10'
const LABELS = { 'k8s-app': 'node-local-dns' }
const CACHE_PROCESS = 'coredns -conf /etc/cache/Corefile'

/** As NodeLocal DNSCache is installed: another Service leads to CoreDNS, and the cache of a node forwards to it over TCP. */
const UPSTREAM = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'kube-dns-upstream', namespace: 'kube-system', labels: { 'k8s-app': 'kube-dns' } },
  spec: {
    selector: { 'k8s-app': 'kube-dns' },
    ports: [
      { name: 'dns', port: 53, protocol: 'UDP' },
      { name: 'dns-tcp', port: 53, protocol: 'TCP' },
    ],
  },
}

const cacheOf = (upstream: string): readonly object[] => [
  {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'node-local-dns', namespace: 'kube-system' },
    data: { Corefile: `.:53 {\n  errors\n  cache 30\n  forward . ${upstream} {\n    force_tcp\n  }\n}\n` },
  },
  {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'cache', namespace: 'kube-system', labels: LABELS },
    spec: {
      nodeName: 'n1',
      hostNetwork: true,
      containers: [
        {
          name: 'cache',
          image: 'testbed.local/coredns:1',
          imagePullPolicy: 'Never',
          args: ['-conf', '/etc/cache/Corefile'],
          // In the network of the node a port below 1024 takes it.
          securityContext: { runAsUser: 0 },
          volumeMounts: [{ name: 'config', mountPath: '/etc/cache', readOnly: true }],
        },
      ],
      volumes: [{ name: 'config', configMap: { name: 'node-local-dns' } }],
    },
  },
]

/** A cache on the node that asks answers at the Service’s address, by night. It stays: nothing else is to be asked after it. */
export function cacheRows(bed: () => DnsBed): void {
  atNight('a cache is put on the node that asks', {}, async () => {
    const dns = bed()
    await dns.scale(2)
    await dns.pods(2)
    await dns.bed.apply([UPSTREAM])
    const at = ['get', 'service', 'kube-dns-upstream', '-n', 'kube-system', '-o', 'jsonpath={.spec.clusterIP}']
    await dns.bed.apply(cacheOf((await dns.bed.kubectl(at)).trim()))
    await dns.bed.kubectl(['wait', 'pod', 'cache', '-n', 'kube-system', '--for=condition=Ready', '--timeout=60s'])
    await dns.mustExec('n1', ['ip', 'address', 'add', `${SERVICE}/32`, 'dev', 'lo'])
    // Past the rules of kube-proxy, as NodeLocal DNSCache itself does.
    for (const rule of [
      ['raw', '-d', SERVICE, '-j', 'NOTRACK'],
      ['raw', '-s', SERVICE, '-j', 'NOTRACK'],
      ['filter', '-d', SERVICE, '-j', 'ACCEPT'],
    ] as const) {
      const [table, ...words] = rule
      await dns.mustExec('n1', ['iptables', '-w', '-t', table, '-I', 'OUTPUT', ...words])
    }
    await dns.says(WELL)
  })

  atNight('what is asked is the cache, and CoreDNS behind it, each for itself', {}, async () => {
    const dns = bed()
    const targets = await waitFor({ what: 'the cache', limitMs: 30_000, everyMs: 200 }, async () => {
      const { scene } = await dns.check()
      const kinds = scene.paths.map(({ target, reading }) => `${target.kind} ${reading.udp}`)
      return kinds.includes('cache answers') ? kinds : undefined
    })
    assert.deepEqual(targets, ['pod answers', 'pod answers', 'service answers', 'cache answers'])
  })

  atNight('row 18: a pod is ill, and the cache answers all the same', {}, async () => {
    const dns = bed()
    const { name, address } = await dns.podOn('n2')
    await dns.filtered('n2', [toPod(address, 'udp', 53)], async () => {
      await dns.says(new RegExp(`^UdpDead ${name}; CacheMasks kube-system/kube-dns$`))
    })
  })

  atNight('row 19: the cache of one node hangs', {}, async () => {
    const dns = bed()
    await dns.mustExec('n1', ['pkill', '-STOP', '-f', CACHE_PROCESS])
    try {
      await dns.says(/^CacheDead n1$/)
    } finally {
      await dns.mustExec('n1', ['pkill', '-CONT', '-f', CACHE_PROCESS])
    }
    await dns.says(WELL)
  })
}

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { diagnose } from '../../../../src/dns/decide/diagnosis/diagnose.ts'
import type { DnsScene } from '../../../../src/dns/decide/scene.ts'
import {
  aPodOfDns,
  aReading,
  aScene,
  DEAD,
  HALF,
  NO_TCP,
  REFUSED,
  SILENT,
  STALE,
  UNSYNCED,
  V1,
  withCache,
} from '../a-scene.ts'

/** Of the address of a Service. */
const IN_TWO_ROUNDS = aReading({ ...DEAD, asked: 14, lost: 14 })
const TRANSLATED = aReading({ ...SILENT, how: ['wrongSource'], wrongSource: '192.0.2.9 port 53' })
const UNANSWERED = aReading({ data: 'unanswered' })
const DROPPED = aReading({ ...HALF, tcp: 'silent', data: 'unanswered' })
const OUTSIDE = aReading({ upstream: 'answers' })
const [A, B] = [aPodOfDns('a'), aPodOfDns('b')]
const THREE = [A, B, aPodOfDns('c')]
const service = aScene().service

const said = (scene: DnsScene): readonly string[] =>
  diagnose(scene).map(
    ({ code, subjects }) => `${code} ${subjects.map(({ kind, name }) => `${kind} ${name}`).join(', ')}`,
  )

const TABLE: readonly (readonly [what: string, scene: DnsScene, said: readonly string[]])[] = [
  [
    'the Service leads to pods of the same node alone, and the node of one place has none',
    aScene({
      service: { v3: DEAD },
      change: {
        vantages: [V1, { name: 'v3', node: 'n-c', control: 'answers' }],
        service: { ...service, isLocal: true },
      },
    }),
    ['NoLocalEndpoint node n-c'],
  ],
  [
    'no pod is there to be asked, and the Service is silent',
    aScene({ service: DEAD, change: { pods: [], service: { ...service, serving: 0 } } }),
    ['ServiceIll service kube-system/kube-dns'],
  ],
  [
    'no pod is listed, and the Service answers: a managed DNS',
    aScene({ change: { pods: [], service: { ...service, serving: 0 } } }),
    ['Healthy cluster dns'],
  ],
  [
    'the selector picks no pod, and the Service answers: a process of each node does, and no pod',
    aScene({ change: { pods: [], service: { ...service, selected: 0, serving: 0 } } }),
    ['Healthy cluster dns'],
  ],
  [
    'the selector picks no pod, and one place alone gets answers',
    aScene({ service: { v2: REFUSED }, change: { pods: [], service: { ...service, selected: 0, serving: 0 } } }),
    ['NoPods service kube-system/kube-dns'],
  ],
  [
    'the selector picks no pod, and what answers is behind the caches',
    aScene({ change: { pods: [], nodeLocal: true, service: { ...service, selected: 0, serving: 0 } } }),
    ['NoPods service kube-system/kube-dns'],
  ],
  [
    'every pod is terminating, and the Service is silent',
    aScene({ service: DEAD, change: { pods: [A, B].map((pod) => ({ ...pod, terminating: true })) } }),
    ['ServiceIll service kube-system/kube-dns'],
  ],
  [
    'a pod that starts is silent',
    aScene({
      pods: { a: DEAD },
      change: { pods: [{ ...A, ready: false, endpoint: 'notServing', isAway: 'starting' }, B] },
    }),
    ['PodStarting pod a'],
  ],
  [
    'a pod that starts has nothing listed yet',
    aScene({
      pods: { a: UNSYNCED },
      change: { pods: [{ ...A, ready: false, endpoint: 'notServing', isAway: 'starting' }, B] },
    }),
    ['PodStarting pod a'],
  ],
  [
    'the container of a pod does not run',
    aScene({
      pods: { a: DEAD },
      change: { pods: [{ ...A, ready: false, endpoint: 'notServing', isAway: 'down' }, B] },
    }),
    ['NotRunning pod a'],
  ],
  [
    'the only pod starts, and the Service refuses',
    aScene({
      pods: { a: DEAD },
      service: REFUSED,
      change: { pods: [{ ...A, ready: false, endpoint: 'notServing', isAway: 'starting' }] },
    }),
    ['PodStarting pod a', 'ServiceIll service kube-system/kube-dns'],
  ],
  [
    'the Service answers wrongly, and its pods do not',
    aScene({ service: aReading({ data: 'noKubernetes', faults: ['L1: NXDOMAIN for dns-version.cluster.local'] }) }),
    ['ServiceAnswersWrong service kube-system/kube-dns'],
  ],
  [
    'the Service is silent over TCP alone',
    aScene({ service: NO_TCP, change: { service: { ...service, tcpPort: 53 } } }),
    ['ServiceTcpDead service kube-system/kube-dns'],
  ],
  [
    'from one node neither the Service nor its pods answer over TCP, and to the other node they do',
    aScene({
      pods: { a: { v1: NO_TCP }, b: { v1: NO_TCP } },
      service: { v1: NO_TCP },
      change: { service: { ...service, tcpPort: 53 } },
    }),
    ['ServiceTcpDead service kube-system/kube-dns'],
  ],
  [
    'the only pod is dead over UDP, and the Service is silent over TCP as well from one node',
    aScene({
      pods: { a: SILENT },
      service: { v1: SILENT, v2: DEAD },
      change: { pods: [aPodOfDns('a')], service: { ...service, tcpPort: 53 } },
    }),
    ['OnlyPodDead pod a', 'ProxyStale node n-b'],
  ],
  [
    'a pod is dead over UDP, and all queries to the Service that were about the zone led to it',
    aScene({ pods: { a: SILENT }, service: UNANSWERED }),
    ['UdpDead pod a'],
  ],
  [
    'from one node a pod is silent, and both connections to the Service led to it',
    aScene({ pods: { a: { v2: DEAD } }, service: { v2: NO_TCP }, change: { service: { ...service, tcpPort: 53 } } }),
    ['SeenFromSomePlaces pod a'],
  ],
  [
    'a pod and the Service are silent over TCP: the pod explains it',
    aScene({ pods: { a: NO_TCP }, service: { v1: NO_TCP }, change: { service: { ...service, tcpPort: 53 } } }),
    ['TcpDead pod a'],
  ],
  ['the Service has no TCP port', aScene({ service: NO_TCP }), ['Healthy cluster dns']],
  [
    'one pod of three is dead over UDP, and the Service refuses',
    aScene({ pods: { a: SILENT }, service: REFUSED, change: { pods: THREE } }),
    ['UdpDead pod a', 'NoEndpointsProgrammed node n-a, node n-b'],
  ],
  [
    'one pod of three is dead over UDP, and the Service is silent from everywhere',
    aScene({ pods: { a: SILENT }, service: IN_TWO_ROUNDS, change: { pods: THREE } }),
    ['UdpDead pod a', 'ServiceWrong service kube-system/kube-dns'],
  ],
  [
    'two pods of three are dead over UDP, and by chance all queries of one place to the Service led to them',
    aScene({ pods: { a: SILENT, b: SILENT }, service: { v1: HALF, v2: IN_TWO_ROUNDS }, change: { pods: THREE } }),
    ['UdpDead pod a', 'UdpDead pod b'],
  ],
  [
    'one pod of three is dead over UDP, and the Service is silent from one node, and loses queries from the other',
    aScene({ pods: { a: SILENT }, service: { v1: HALF, v2: IN_TWO_ROUNDS }, change: { pods: THREE } }),
    ['UdpDead pod a', 'ProxyStale node n-b'],
  ],
  [
    'one pod knows old data alone, and the Service refuses',
    aScene({ pods: { a: STALE }, service: REFUSED, change: { pods: THREE } }),
    ['DataStale pod a', 'NoEndpointsProgrammed node n-a, node n-b'],
  ],
  [
    'one pod knows old data alone, and the Service loses queries, which old data does not explain',
    aScene({ pods: { a: STALE }, service: HALF, change: { pods: THREE } }),
    ['DataStale pod a', 'DeadEndpointKept node n-a, node n-b'],
  ],
  [
    'replies of one pod come from elsewhere, so that what it knows is heard through the Service alone',
    aScene({ pods: { a: TRANSLATED }, service: { v1: STALE } }),
    ['ReplyFromElsewhere pod a, node n-a'],
  ],
  [
    'one pod is dead over UDP, and the Service answers wrongly, which that does not explain',
    aScene({ pods: { a: SILENT }, service: UNSYNCED, change: { pods: THREE } }),
    ['UdpDead pod a', 'ServiceAnswersWrong service kube-system/kube-dns'],
  ],
  [
    'one pod knows old data alone, and the Service answers as it does',
    aScene({ pods: { a: STALE }, service: STALE, change: { pods: THREE } }),
    ['DataStale pod a'],
  ],
  [
    'one pod is dead over UDP, and from one port the Service is silent',
    aScene({ pods: { a: SILENT }, canary: 'silent', change: { pods: THREE } }),
    ['UdpDead pod a'],
  ],
  [
    'one pod refuses, and of the Service one query was answered',
    aScene({
      pods: { a: REFUSED },
      service: aReading({ ...REFUSED, asked: 7, lost: 6 }),
      change: { pods: THREE },
    }),
    ['UdpDead pod a'],
  ],
  [
    'the one pod that answers is no endpoint, and the Service is silent as the other pod is',
    aScene({
      pods: { a: SILENT },
      service: DEAD,
      change: { pods: [A, { ...B, ready: false, endpoint: 'notServing' }] },
    }),
    ['UdpDead pod a', 'NotReady pod b'],
  ],
  [
    'all queries of a place go to one pod, which is dead over UDP: the Service is silent from there',
    aScene({
      pods: { a: SILENT },
      service: DEAD,
      change: { pods: THREE, service: { ...service, isUneven: true } },
    }),
    ['UdpDead pod a'],
  ],
  [
    'one pod is dead over UDP, and the Service sends to pods of the same node alone: it is silent where a pod answers',
    aScene({
      pods: { a: SILENT },
      service: DEAD,
      change: { pods: THREE, service: { ...service, isUneven: true, isLocal: true } },
    }),
    ['UdpDead pod a', 'ProxyStale node n-b'],
  ],
  [
    'a cache answers SERVFAIL, and pods answer rightly',
    withCache(aScene({ change: { nodeLocal: true } }), UNSYNCED),
    ['CacheIll node n-a'],
  ],
  [
    'the Service answers nothing about the zone, and its pods do',
    aScene({ service: UNANSWERED }),
    ['ServiceAnswersWrong service kube-system/kube-dns'],
  ],
  [
    'the Service answers nothing about the zone, and no pod is there to be asked',
    aScene({ service: UNANSWERED, change: { pods: [], service: { ...service, serving: 0 } } }),
    ['ZoneUnanswered service kube-system/kube-dns'],
  ],
  [
    'neither the Service nor its pods nor a cache answer anything about the zone',
    withCache(aScene({ pods: { a: UNANSWERED, b: UNANSWERED }, service: UNANSWERED }), UNANSWERED),
    ['ZoneUnanswered pod a, pod b'],
  ],
  [
    'one place alone gets no answer about the zone, from the pods or the Service',
    aScene({ pods: { a: { v2: UNANSWERED }, b: { v2: UNANSWERED } }, service: { v2: UNANSWERED } }),
    ['SeenFromSomePlaces node n-b'],
  ],
  [
    'plugin acl drops what comes from outside of the cluster, and nodes get right answers',
    aScene({
      pods: { a: { here: DROPPED }, b: { here: DROPPED } },
      service: { here: DROPPED },
      change: { vantages: [{ name: 'here', control: 'answers' }, V1], service: { ...service, tcpPort: 53 } },
    }),
    ['PlaceRefused vantage here'],
  ],
  [
    'it drops what comes from one node',
    aScene({ pods: { a: { v2: DROPPED }, b: { v2: DROPPED } }, service: { v2: DROPPED } }),
    ['SeenFromSomePlaces node n-b'],
  ],
  [
    'pods answer the first query alone, to each place',
    aScene({ pods: { a: DROPPED, b: DROPPED }, service: DROPPED }),
    ['Loses pod a', 'Loses pod b'],
  ],
  [
    'a cache answers wrongly, and a pod behind it is silent over TCP',
    withCache(aScene({ pods: { a: NO_TCP } }), UNSYNCED),
    ['TcpDead pod a'],
  ],
  ['a cache answers nothing about the zone', withCache(aScene(), UNANSWERED), ['CacheIll node n-a']],
  [
    'a cache gets no answer for names outside, and pods do',
    withCache(aScene({ pods: { a: OUTSIDE, b: OUTSIDE } }), aReading({ upstream: 'fails' })),
    ['UpstreamOfOne node n-a'],
  ],
  [
    'neither a cache nor pods get an answer for names outside',
    withCache(
      aScene({ pods: { a: aReading({ upstream: 'fails' }), b: aReading({ upstream: 'fails' }) } }),
      aReading({ upstream: 'fails' }),
    ),
    ['UpstreamDown pod a, pod b'],
  ],
  ['a cache loses queries', withCache(aScene({ change: { nodeLocal: true } }), HALF), ['CacheIll node n-a']],
]

for (const [what, scene, wanted] of TABLE) test(what, () => assert.deepEqual(said(scene), wanted))

test('of a container that does not run it is said how it ended', () => {
  const pods = [{ ...A, ready: false, endpoint: 'notServing', isAway: 'down', endedBy: ['Error'] } as const, B]
  const [finding] = diagnose(aScene({ pods: { a: DEAD }, change: { pods } }))
  assert.deepEqual(finding?.evidence, [
    'the API says that it is not Ready, and its container does not run: the last time it ended by Error',
  ])
})

test('that all is well is said with the loss that may have been missed, by the way that was asked least', () => {
  const wellAsked = aReading({ asked: 73 })
  const scene = aScene({ pods: { a: wellAsked, b: wellAsked }, service: wellAsked })
  assert.deepEqual(diagnose(scene)[0]?.evidence, ['a loss of less than 10 % on one of these ways may have been missed'])
  const less = aScene({ pods: { a: wellAsked, b: { v2: aReading({ asked: 20 }) } }, service: wellAsked })
  assert.match(diagnose(less)[0]?.evidence[0] ?? '', /^a loss of less than 49 % /)
})

test('a Service that loses what an ill pod loses is no finding of its own', () => {
  const found = diagnose(aScene({ pods: { a: SILENT }, service: HALF }))
  assert.deepEqual(
    found.map(({ code }) => code),
    ['UdpDead'],
  )
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CAUSES } from '../../../../src/dns/decide/causes.ts'
import { diagnose } from '../../../../src/dns/decide/diagnosis/diagnose.ts'
import type { DnsScene, SceneVantage } from '../../../../src/dns/decide/scene.ts'
import { present } from '../../../../src/ground/model/present.ts'
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
  V2,
  withCache,
} from '../a-scene.ts'

const [A, B] = [aPodOfDns('a'), aPodOfDns('b')]
/** The node of a is down. */
const A_DOWN = [
  { name: 'n-a', ready: false },
  { name: 'n-b', ready: true },
]
const NO_UPSTREAM = aReading({ upstream: 'fails', faults: ['L7: SERVFAIL for example.com'] })
const UNANSWERED = aReading({ tcp: 'notAsked', data: 'unanswered', upstream: 'fails' })
const REFUSING = aReading({ data: 'refused', faults: ['L1: REFUSED for dns-version.cluster.local'] })
const HERE: SceneVantage = { name: 'here', control: 'answers' }
const UPSTREAM = aReading({ upstream: 'answers' })
const FROM_POD = aReading({
  udp: 'silent',
  how: ['wrongSource', 'timeout'],
  wrongSource: '10.1.0.97 port 53',
  lost: 4,
  asked: 4,
})
const TENTH = aReading({ udp: 'loses', how: ['timeout'], asked: 150, lost: 15 })
const service = aScene().service

/** What is said of a scene: the code, and what it is about. */
const said = (scene: DnsScene): readonly string[] =>
  diagnose(scene).map(
    ({ code, subjects }) => `${code} ${subjects.map(({ kind, name }) => `${kind} ${name}`).join(', ')}`,
  )

/** Each pod has an address of each family; of the second one this is read. */
const ofBothFamilies = (scene: DnsScene, second: NonNullable<Parameters<typeof aScene>[0]>['pods']): DnsScene => {
  const at = (one: DnsScene, address: string): DnsScene['paths'] =>
    one.paths.flatMap((path) => (path.target.kind === 'pod' ? [{ ...path, target: { ...path.target, address } }] : []))
  const others = scene.paths.filter(({ target }) => target.kind !== 'pod')
  return {
    ...scene,
    paths: [...at(scene, '10.1.0.9'), ...at(aScene({ ...present({ pods: second }) }), 'fd01::9'), ...others],
  }
}

/** The Service has an address of each family. */
const oneOfBoth = (scene: DnsScene): DnsScene => ({
  ...scene,
  paths: scene.paths.flatMap((path) =>
    path.target.kind === 'service' ? [path, { ...path, target: { ...path.target, name: 'fd00::a' } }] : [path],
  ),
})

const TABLE: readonly (readonly [row: number | undefined, what: string, scene: DnsScene, said: readonly string[]])[] = [
  [1, 'all answer', aScene(), ['Healthy cluster dns']],
  [
    2,
    'the query for a name outside went to the pod that answers over TCP alone',
    aScene({ pods: { a: SILENT, b: UPSTREAM }, service: { ...HALF, upstream: 'fails' } }),
    ['UdpDead pod a'],
  ],
  [2, 'one pod answers over TCP alone', aScene({ pods: { a: SILENT }, service: HALF }), ['UdpDead pod a']],
  [
    3,
    'one pod is silent, and others of its node are reached',
    aScene({
      pods: { a: DEAD },
      service: HALF,
      change: { pods: [{ ...A, process: 'answers', neighbours: 'reached' }, B] },
    }),
    ['PodNetworkDead pod a'],
  ],
  [
    4,
    'one pod is silent, and so is its node',
    aScene({
      pods: { a: DEAD },
      service: HALF,
      change: { pods: [{ ...A, process: 'answers', neighbours: 'notReached' }, B] },
    }),
    ['NodeNetworkDead pod a, node n-a'],
  ],
  [
    5,
    'one pod is silent on its loopback as well',
    aScene({
      pods: { a: DEAD },
      service: HALF,
      change: { pods: [{ ...A, process: 'silent', neighbours: 'reached' }, B] },
    }),
    ['ProcessHung pod a'],
  ],
  [
    6,
    'one pod is silent on a node that is not Ready',
    aScene({
      pods: { a: DEAD },
      service: HALF,
      change: { nodes: A_DOWN },
    }),
    ['NodeDown pod a, node n-a'],
  ],
  [7, 'one pod does not know a new Service', aScene({ pods: { a: STALE } }), ['DataStale pod a']],
  [7, 'one pod has never listed', aScene({ pods: { a: UNSYNCED } }), ['DataStale pod a']],
  [
    undefined,
    'no pod knows a new Service, and the Corefile that may hide it could not be read',
    aScene({ pods: { a: STALE, b: STALE }, change: { isCorefileUnread: true } }),
    ['ZoneUnanswered pod a, pod b'],
  ],
  [
    7,
    'one pod does not know a new Service, also where the Corefile could not be read',
    aScene({ pods: { a: STALE }, change: { isCorefileUnread: true } }),
    ['DataStale pod a'],
  ],
  [8, 'no pod knows a new Service', aScene({ pods: { a: STALE, b: STALE } }), ['DataStaleEverywhere pod a, pod b']],
  [
    8,
    'one pod does not, while the API is away',
    aScene({ pods: { a: UNSYNCED }, change: { api: 'away' } }),
    ['DataStaleEverywhere pod a'],
  ],
  [
    20,
    'through the Service names outside fail at one place, and a pod is silent over TCP, by which what was cut short is asked again',
    aScene({
      pods: { a: aReading({ tcp: 'silent', upstream: 'answers' }), b: UPSTREAM },
      service: { v1: NO_UPSTREAM, v2: UPSTREAM },
    }),
    ['TcpDead pod a'],
  ],
  [9, 'names outside fail at one pod', aScene({ pods: { a: NO_UPSTREAM, b: UPSTREAM } }), ['UpstreamOfOne pod a']],
  [
    10,
    'names outside fail at all',
    aScene({ pods: { a: NO_UPSTREAM, b: NO_UPSTREAM } }),
    ['UpstreamDown pod a, pod b'],
  ],
  [
    11,
    'one place reaches nothing at all',
    aScene({
      pods: { a: { v1: DEAD }, b: { v1: DEAD } },
      service: { v1: DEAD },
      change: { vantages: [{ ...V1, control: 'fails' }, V2] },
    }),
    ['VantageCutOff vantage v1, node n-a'],
  ],
  [
    12,
    'UDP does not pass between nodes',
    aScene({ pods: { a: { v2: SILENT }, b: { v1: SILENT } }, service: HALF }),
    ['CrossNodeUdp node n-a, node n-b'],
  ],
  [
    2,
    'one pod of two is silent, asked from the node of the other alone',
    aScene({ pods: { b: SILENT }, service: HALF, change: { vantages: [V1] } }),
    ['UdpDead pod b'],
  ],
  [
    2,
    'one pod of two is silent, asked from two places on the node of the other',
    aScene({ pods: { b: SILENT }, service: HALF, change: { vantages: [V1, { ...V1, name: 'v3' }] } }),
    ['UdpDead pod b'],
  ],
  [13, 'the Service is silent from one node', aScene({ service: { v1: DEAD } }), ['ProxyStale node n-a']],
  [13, 'from one port alone the Service is silent', aScene({ canary: 'silent' }), ['ProxyStale node n-a, node n-b']],
  [
    14,
    'the Service refuses, and has no endpoint',
    aScene({ service: REFUSED, change: { service: { ...service, serving: 0 } } }),
    ['NoEndpointsProgrammed service kube-system/kube-dns'],
  ],
  [14, 'the Service refuses on one node', aScene({ service: { v2: REFUSED } }), ['NoEndpointsProgrammed node n-b']],
  [
    15,
    'replies of the Service come from a pod',
    aScene({ service: { v1: FROM_POD } }),
    ['ReplyFromElsewhere node n-a'],
  ],
  [
    15,
    'replies of one pod come from elsewhere: its process answers',
    aScene({ pods: { a: FROM_POD }, service: HALF }),
    ['ReplyFromElsewhere pod a, node n-a'],
  ],
  [
    15,
    'replies of one pod come from elsewhere at one place, and at the other not at all',
    aScene({ pods: { a: { v1: FROM_POD, v2: SILENT } }, service: HALF }),
    ['ReplyFromElsewhere pod a, node n-a'],
  ],
  [
    15,
    'replies of every pod come from elsewhere',
    aScene({ pods: { a: FROM_POD, b: FROM_POD }, service: DEAD }),
    ['ReplyFromElsewhere pod a, node n-a', 'ReplyFromElsewhere pod b, node n-b'],
  ],
  [
    15,
    'replies between nodes come from elsewhere: UDP passes between them',
    aScene({ pods: { a: { v2: FROM_POD }, b: { v1: FROM_POD } }, service: HALF }),
    ['ReplyFromElsewhere pod a, node n-a, node n-b', 'ReplyFromElsewhere pod b, node n-b, node n-a'],
  ],
  [
    15,
    'replies of the only pod come from elsewhere',
    aScene({ pods: { a: FROM_POD }, service: DEAD, change: { pods: [A] } }),
    ['ReplyFromElsewhere pod a, node n-a'],
  ],
  [
    16,
    'the Service is silent from everywhere',
    aScene({ service: DEAD }),
    ['ServiceWrong service kube-system/kube-dns'],
  ],
  [
    undefined,
    'both addresses of the Service are silent from one place, and no other place was asked',
    oneOfBoth(aScene({ service: DEAD, change: { vantages: [V1] } })),
    ['ProxyStale node n-a'],
  ],
  [
    16,
    'the Service has no UDP port',
    aScene({ service: DEAD, change: { service: (({ udpPort: _, ...rest }) => rest)(service) } }),
    ['ServiceWrong service kube-system/kube-dns'],
  ],
  [
    16,
    'the Service has no UDP port, and its address could not be asked',
    aScene({
      service: aReading({ udp: 'notAsked', data: 'unknown' }),
      change: { service: (({ udpPort: _, ...rest }) => rest)(service) },
    }),
    ['ServiceWrong service kube-system/kube-dns'],
  ],
  [
    undefined,
    'the selector picks no pod',
    aScene({ service: REFUSED, change: { pods: [], service: { ...service, selected: 0, serving: 0 } } }),
    ['NoPods service kube-system/kube-dns'],
  ],
  [17, 'the Service loses a part, and no pod does', aScene({ service: { v1: HALF } }), ['DeadEndpointKept node n-a']],
  [
    18,
    'a cache answers in the place of an ill pod',
    withCache(aScene({ pods: { a: SILENT }, service: HALF, change: { nodeLocal: true } }), aReading()),
    ['UdpDead pod a', 'CacheMasks service kube-system/kube-dns'],
  ],
  [
    13,
    'behind caches the Service is silent from one node',
    withCache(aScene({ service: { v1: DEAD }, change: { nodeLocal: true } }), aReading()),
    ['ProxyStale node n-a'],
  ],
  [
    19,
    'the cache of one node is silent',
    withCache(aScene({ change: { nodeLocal: true } }), DEAD),
    ['CacheDead node n-a'],
  ],
  [20, 'one pod answers over UDP alone', aScene({ pods: { a: NO_TCP } }), ['TcpDead pod a']],
  [
    21,
    'a pod that answers is not Ready',
    aScene({ change: { pods: [{ ...A, ready: false }, B] } }),
    ['NotReady pod a'],
  ],
  [
    22,
    'no pod answers over UDP, and all do over TCP',
    aScene({ pods: { a: SILENT, b: SILENT }, service: DEAD }),
    ['UdpDropped pod a, pod b'],
  ],
  [
    23,
    'the only pod is silent',
    aScene({ pods: { a: SILENT }, service: DEAD, change: { pods: [A] } }),
    ['OnlyPodDead pod a'],
  ],
  [
    24,
    'a pod that answers is no endpoint',
    aScene({ change: { pods: [{ ...A, endpoint: 'absent' }, B] } }),
    ['EndpointMissing pod a'],
  ],
  [
    undefined,
    'no pod answers at all',
    aScene({ pods: { a: DEAD, b: DEAD }, service: DEAD }),
    ['AllPodsSilent cluster dns, vantage v1, vantage v2'],
  ],
  [
    undefined,
    'the node of one pod is down, and the other pod answers over TCP alone',
    aScene({ pods: { a: DEAD, b: SILENT }, service: DEAD, change: { nodes: A_DOWN } }),
    ['NodeDown pod a, node n-a', 'UdpDead pod b'],
  ],
  [
    undefined,
    'the node of one pod is down, and two more answer over TCP alone',
    aScene({
      pods: { a: DEAD, b: SILENT, c: SILENT },
      service: DEAD,
      change: { pods: [A, B, aPodOfDns('c')], nodes: A_DOWN },
    }),
    ['NodeDown pod a, node n-a', 'UdpDropped pod b, pod c'],
  ],
  [
    undefined,
    'the node of one pod is down, and UDP does not pass between the nodes of the others',
    aScene({
      pods: { a: DEAD, b: { v3: SILENT }, c: { v2: SILENT } },
      service: HALF,
      change: {
        pods: [A, B, aPodOfDns('c')],
        nodes: A_DOWN,
        vantages: [V2, { name: 'v3', node: 'n-c', control: 'answers' }],
      },
    }),
    ['NodeDown pod a, node n-a', 'CrossNodeUdp node n-b, node n-c'],
  ],
  [
    undefined,
    'the nodes of all pods are down',
    aScene({
      pods: { a: DEAD, b: DEAD },
      service: DEAD,
      change: { nodes: ['n-a', 'n-b'].map((name) => ({ name, ready: false })) },
    }),
    ['AllPodsSilent cluster dns, vantage v1, vantage v2'],
  ],
  [
    undefined,
    'one pod answers over TCP alone, and the other not at all',
    aScene({ pods: { a: SILENT, b: DEAD }, service: DEAD }),
    ['UdpDead pod a', 'PodNetworkDead pod b'],
  ],
  [
    undefined,
    'pods live, and nothing is answered about the zone that was assumed',
    aScene({ pods: { a: UNANSWERED, b: UNANSWERED }, service: UNANSWERED }),
    ['ZoneUnanswered pod a, pod b', 'UpstreamDown pod a, pod b'],
  ],
  [
    undefined,
    'the Service of a DNS without pods answers, and names outside fail',
    aScene({
      service: NO_UPSTREAM,
      change: { pods: [], service: (({ selected: _, ...rest }) => rest)(service) },
    }),
    ['UpstreamDown service kube-system/kube-dns'],
  ],
  [undefined, 'a pod loses much', aScene({ pods: { a: HALF } }), ['Loses pod a']],
  [
    undefined,
    'every pod loses to each place',
    aScene({ pods: { a: TENTH, b: TENTH }, service: TENTH }),
    ['LosesOnTheWay node n-a, node n-b'],
  ],
  [
    undefined,
    'every pod loses to one place alone, and the Service too',
    aScene({ pods: { a: { v1: TENTH }, b: { v1: TENTH } }, service: { v1: TENTH } }),
    ['LosesOnTheWay node n-a'],
  ],
  [
    undefined,
    'one pod loses to one place, and the other one so much that chance may have passed it over',
    aScene({ pods: { a: { v1: TENTH }, b: { v1: aReading({ asked: 150, lost: 8 }) } } }),
    ['LosesOnTheWay node n-a'],
  ],
  [
    undefined,
    'a pod loses to one place, and not to another',
    aScene({ pods: { a: { v1: TENTH, v2: aReading({ asked: 146 }) }, b: aReading({ asked: 146 }) } }),
    ['LosesOnTheWay pod a, node n-a'],
  ],
  [
    undefined,
    'a pod loses to one place, and to another so much that chance may have passed it over',
    aScene({ pods: { a: { v1: TENTH, v2: aReading({ asked: 150, lost: 8 }) }, b: aReading({ asked: 146 }) } }),
    ['Loses pod a'],
  ],
  [
    undefined,
    'one of two places on a node loses to every pod, the other one to one pod',
    aScene({
      pods: {
        a: { v1: TENTH, v2: TENTH, v3: aReading({ asked: 146 }) },
        b: { v1: TENTH, v2: aReading({ asked: 146 }) },
      },
      change: { vantages: [V1, { ...V2, node: 'n-a' }, { ...V2, name: 'v3' }] },
    }),
    ['LosesOnTheWay node n-a'],
  ],
  [
    undefined,
    'one pod loses, the other is dead',
    aScene({ pods: { a: TENTH, b: SILENT } }),
    ['UdpDead pod b', 'Loses pod a'],
  ],
  [
    undefined,
    'the only pod loses, and the way to it may be the cause',
    aScene({ pods: { a: TENTH }, change: { pods: [A] } }),
    ['Loses pod a'],
  ],
  [
    undefined,
    'the Service loses, and no more than the pods may do',
    aScene({ pods: { a: aReading({ asked: 150, lost: 5 }) }, service: { v1: aReading({ ...TENTH, lost: 12 }) } }),
    ['LosesOnTheWay node n-a'],
  ],
  [
    undefined,
    'a pod loses, and is silent over TCP as well',
    aScene({ pods: { a: { ...HALF, tcp: 'silent' } }, service: { ...HALF, tcp: 'silent' } }),
    ['Loses pod a'],
  ],
  [
    undefined,
    'each place gets answers from one address of each pod, and none from the other address of one pod',
    ofBothFamilies(aScene(), { a: SILENT }),
    ['AddressSilent pod a'],
  ],
  [
    undefined,
    'a pod answers its own node alone, which has no address of the other family',
    ofBothFamilies(aScene({ pods: { a: { v2: SILENT } } }), {
      a: { v1: aReading({ udp: 'notAsked', tcp: 'silent', asked: 0 }), v2: SILENT },
    }),
    ['SeenFromSomePlaces pod a'],
  ],
  [
    undefined,
    'the pods of other nodes lose queries, and that of the own node does not',
    aScene({
      pods: { b: HALF, c: HALF },
      change: { pods: [A, aPodOfDns('b'), aPodOfDns('c')], vantages: [V1] },
    }),
    ['Loses pod b', 'Loses pod c'],
  ],
  [
    undefined,
    'one place gets no answer from one address of a pod, and another place does',
    ofBothFamilies(aScene(), { a: { v1: SILENT } }),
    ['SeenFromSomePlaces pod a'],
  ],
  [undefined, 'one place does not reach a pod', aScene({ pods: { a: { v1: SILENT } } }), ['SeenFromSomePlaces pod a']],
  [
    undefined,
    'the Service could not be asked',
    aScene({ service: aReading({ udp: 'notAsked', data: 'unknown' }) }),
    ['NotAsked service kube-system/kube-dns'],
  ],
  [
    undefined,
    'a pod could not be asked',
    aScene({ pods: { b: aReading({ udp: 'notAsked', data: 'unknown' }) } }),
    ['NotAsked pod b'],
  ],
  [
    undefined,
    'the pods refuse a place outside of the cluster, and answer those on nodes',
    aScene({
      pods: { a: { here: REFUSING }, b: { here: REFUSING } },
      service: { here: REFUSING },
      change: { vantages: [HERE, V1, V2] },
    }),
    ['PlaceRefused vantage here'],
  ],
  [
    undefined,
    'the pods refuse the place on one node, and answer that on another',
    aScene({ pods: { a: { v1: REFUSING }, b: { v1: REFUSING } }, service: { v1: REFUSING } }),
    ['SeenFromSomePlaces node n-a'],
  ],
  [
    undefined,
    'another server answers a place on its way to the pods',
    aScene({
      pods: { a: { here: STALE }, b: { here: STALE } },
      service: { here: STALE },
      change: { vantages: [HERE, V1] },
    }),
    ['PlaceRefused vantage here'],
  ],
  [
    undefined,
    'the pods refuse the only place',
    aScene({ pods: { a: REFUSING, b: REFUSING }, service: REFUSING, change: { vantages: [V1] } }),
    ['PlaceRefused node n-a'],
  ],
  [
    8,
    'the pods refuse the places on two nodes',
    aScene({ pods: { a: REFUSING, b: REFUSING }, service: REFUSING }),
    ['DataStaleEverywhere pod a, pod b'],
  ],
  [7, 'one pod refuses each place', aScene({ pods: { a: REFUSING } }), ['DataStale pod a']],
  [
    7,
    'the pods refuse a place outside, and one of them knows old data alone',
    aScene({
      pods: { a: { here: REFUSING, v1: STALE, v2: STALE }, b: { here: REFUSING } },
      service: { here: REFUSING },
      change: { vantages: [HERE, V1, V2] },
    }),
    ['DataStale pod a', 'PlaceRefused vantage here'],
  ],
  [
    8,
    'the pods refuse a place outside, and know old data alone',
    aScene({
      pods: { a: { here: REFUSING, v1: STALE }, b: { here: REFUSING, v1: STALE } },
      service: { here: REFUSING, v1: STALE },
      change: { vantages: [HERE, V1] },
    }),
    ['DataStaleEverywhere pod a, pod b', 'PlaceRefused vantage here'],
  ],
  [
    undefined,
    'a managed DNS refuses the only place',
    aScene({
      service: REFUSING,
      change: { pods: [], vantages: [HERE], service: { ...service, serving: 0 } },
    }),
    ['PlaceRefused vantage here'],
  ],
  [undefined, 'no place can ask', aScene({ change: { vantages: [] } }), ['NotAsked cluster dns']],
]

for (const [row, what, scene, wanted] of TABLE) {
  test(`${row === undefined ? '' : `row ${row}: `}${what}: ${wanted[0]}`, () => {
    assert.deepEqual(said(scene), wanted)
    const [first] = diagnose(scene)
    assert.ok(first !== undefined)
    if (row !== undefined && row !== 18) assert.equal((CAUSES[first.code] as { row?: number }).row, row)
  })
}

test('each of the 24 rows is in the table, once in the catalogue, with words for people', () => {
  const rows = Object.values(CAUSES).flatMap((cause) => ('row' in cause ? [cause.row] : []))
  const all = Array.from({ length: 24 }, (_, i) => i + 1)
  assert.deepEqual(
    rows.toSorted((a, b) => a - b),
    all,
  )
  assert.deepEqual(
    [...new Set(TABLE.flatMap(([row]) => row ?? []))].toSorted((a, b) => a - b),
    all,
  )
  for (const { is, cause, cure } of Object.values(CAUSES)) {
    assert.match(cause, /^(?:[A-Z]|kube-proxy).*\.$/s)
    assert.match(cure, /^[A-Z].*[.:)>a-z]$/s)
    assert.doesNotMatch(is, /^[A-Z][a-z]|\.$/)
  }
})

test('what a place says that reaches nothing speaks against no pod', () => {
  const cutOff = { ...V1, control: 'fails' } as const
  const scene = aScene({ pods: { a: { v1: DEAD } }, service: { v1: DEAD }, change: { vantages: [cutOff, V2] } })
  assert.deepEqual(said(scene), ['VantageCutOff vantage v1, node n-a'])
})

test('a pod that leaves is asked for nothing', () => {
  const scene = aScene({ pods: { a: DEAD }, change: { pods: [{ ...A, terminating: true }, B] } })
  assert.deepEqual(said(scene), ['Healthy cluster dns'])
})

test('each finding but health tells the readings that decided', () => {
  for (const [, what, scene] of TABLE)
    for (const { code, evidence } of diagnose(scene))
      if (code !== 'Healthy' && code !== 'NotAsked')
        assert.ok(evidence.length > 0 && evidence.every((line) => line.length > 10), what)
  const [dead] = diagnose(aScene({ pods: { a: SILENT } }))
  assert.deepEqual(dead?.evidence, [
    'v1 → a: UDP 0 of 4 answered (no answer); TCP answers. v2 → a: UDP 0 of 4 answered (no answer); TCP answers',
  ])
})

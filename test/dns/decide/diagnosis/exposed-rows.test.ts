import assert from 'node:assert/strict'
import { test } from 'node:test'
import { diagnose } from '../../../../src/dns/decide/diagnosis/diagnose.ts'
import type { PathReading } from '../../../../src/dns/decide/path-reading.ts'
import type { DnsScene, Path, SceneVantage } from '../../../../src/dns/decide/scene.ts'
import { present } from '../../../../src/ground/model/present.ts'
import { aReading, aScene, SILENT } from '../a-scene.ts'

const HERE: SceneVantage = { name: 'here', control: 'answers', way: 'outside' }
const NODE_PORT = { kind: 'exposed', name: '192.0.2.1 port 30053' } as const
const MET = aReading({ asked: 12 })

/** Two pods, of which nothing is reached but a node port of their Service. */
const outside = (reading: PathReading, change: Partial<DnsScene['service']> = {}): DnsScene => {
  const scene = aScene({ change: { vantages: [HERE], paths: [{ vantage: 'here', target: NODE_PORT, reading }] } })
  return { ...scene, service: { ...scene.service, ...change } }
}

/** The same, and what queries that all leave from one port came to. */
const fromOnePort = (canary: Path['canary'], scene: DnsScene): DnsScene => ({
  ...scene,
  paths: scene.paths.map((path) => ({ ...path, ...present({ canary }) })),
})

/** The same from so many node ports. */
const atEach = (ports: number, scene: DnsScene): DnsScene => ({
  ...scene,
  paths: Array.from({ length: ports }, (_, at) => at).flatMap((at) =>
    scene.paths.map((path) => ({ ...path, target: { ...NODE_PORT, name: `192.0.2.${at} port 30053` } })),
  ),
})

const said = (scene: DnsScene): readonly string[] =>
  diagnose(scene).map(({ code, subjects }) => `${code} ${subjects.map(({ name }) => name).join(', ')}`)

const NOT_ASKED = ['NotAsked a, b, kube-system/kube-dns']
const TABLE: readonly (readonly [what: string, scene: DnsScene, said: readonly string[]])[] = [
  ['a node port answers so often that each pod was met', outside(MET), ['HealthyFromOutside kube-system/kube-dns']],
  ['a node port answers, and too few queries were sent to meet each pod', outside(aReading({ asked: 3 })), NOT_ASKED],
  ['a node port answers, and does not lead to every pod', outside(MET, { isUneven: true }), NOT_ASKED],
  ['a node port answers, and leads to the pods of its node alone', outside(MET, { isLocalOutside: true }), NOT_ASKED],
  [
    'a node port loses one of many queries, and half would be lost if one of two pods were dead',
    outside(aReading({ asked: 12, lost: 1 })),
    ['HealthyFromOutside kube-system/kube-dns'],
  ],
  [
    'a node port loses so few queries that one of five pods may be dead',
    outside(aReading({ asked: 26, lost: 2 }), { serving: 5 }),
    NOT_ASKED,
  ],
  [
    'a node port answers all queries, and one of twenty pods may have been met by none',
    outside(aReading({ asked: 50 }), { serving: 20 }),
    NOT_ASKED,
  ],
  [
    'three node ports answer all queries, which met each of twenty pods',
    atEach(3, outside(aReading({ asked: 50 }), { serving: 20 })),
    ['HealthyFromOutside kube-system/kube-dns'],
  ],
  [
    'a node port loses a query, and each pod has said its name',
    outside(aReading({ asked: 4, lost: 1, servedBy: ['a', 'b'] })),
    ['HealthyFromOutside kube-system/kube-dns'],
  ],
  [
    'a node port answers all queries, and nothing of the cluster was in its answers',
    outside(aReading({ asked: 12, data: 'unknown' })),
    NOT_ASKED,
  ],
  ['UDP is silent and TCP is not', outside(SILENT), ['ExposedUdpDead kube-system/kube-dns', ...NOT_ASKED]],
  [
    'a part of the queries gets no answer',
    outside(aReading({ udp: 'loses', how: ['timeout'], asked: 12, lost: 6 })),
    ['ExposedLoses kube-system/kube-dns', ...NOT_ASKED],
  ],
  [
    'a part of the queries gets no answer, and the servers say who they are',
    outside(aReading({ udp: 'loses', how: ['timeout'], asked: 12, lost: 6, servedBy: ['b'] })),
    ['ExposedLoses kube-system/kube-dns, a', ...NOT_ASKED],
  ],
  [
    'answers are of old data',
    outside(aReading({ asked: 12, data: 'stale', faults: ['L4: NXDOMAIN for Service shop/new'] })),
    ['ExposedWrong kube-system/kube-dns', ...NOT_ASKED],
  ],
  [
    'from one port no query is answered',
    fromOnePort('silent', outside(MET)),
    ['ExposedLoses kube-system/kube-dns', ...NOT_ASKED],
  ],
  [
    'the Service has a port for TCP, and is silent there',
    outside(aReading({ asked: 12, tcp: 'silent' }), { tcpPort: 53 }),
    ['ServiceTcpDead kube-system/kube-dns'],
  ],
  [
    'the Service has no port for TCP',
    outside(aReading({ asked: 12, tcp: 'silent' })),
    ['HealthyFromOutside kube-system/kube-dns'],
  ],
  ['names outside fail', outside(aReading({ asked: 12, upstream: 'fails' })), ['UpstreamDown kube-system/kube-dns']],
]

for (const [what, scene, wanted] of TABLE) test(what, () => assert.deepEqual(said(scene), wanted))

test('what is seen at a node port follows from a pod that is ill, and is not said beside it', () => {
  const scene = aScene({ pods: { a: SILENT } })
  const reading = aReading({ udp: 'loses', how: ['timeout'], asked: 12, lost: 6 })
  const paths = [...scene.paths, { vantage: 'v1', target: NODE_PORT, reading }]
  assert.deepEqual(said({ ...scene, paths }), ['UdpDead a'])
})

test('a node port that leaves queries without an answer is named where all pods are well', () => {
  const scene = aScene()
  const reading = aReading({ udp: 'loses', how: ['timeout'], asked: 12, lost: 6 })
  const paths = [...scene.paths, { vantage: 'v1', target: NODE_PORT, reading }]
  assert.deepEqual(said({ ...scene, paths }), ['ExposedLoses kube-system/kube-dns'])
})

test('where the answers from outside do not show that each pod answers, it is said how many came', () => {
  const [finding] = diagnose(outside(aReading({ asked: 26, lost: 2 }), { serving: 5 }))
  assert.deepEqual(finding?.evidence, [
    'no place could ask it',
    'where the Service is exposed, 24 of 26 queries were answered: that does not show that each of its 5 endpoints answers',
  ])
})

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { diagnose } from '../../../../src/dns/decide/diagnosis/diagnose.ts'
import { decideRepair, type RepairDecision } from '../../../../src/dns/decide/repair/decide-repair.ts'
import { COOL_DOWN_MS } from '../../../../src/dns/decide/repair/guards.ts'
import type { PastRepair, RepairSnapshot } from '../../../../src/dns/decide/repair/repair-snapshot.ts'
import type { DnsScene } from '../../../../src/dns/decide/scene.ts'
import type { RolledWorkload } from '../../../../src/dns/model/repair-reading.ts'
import { plainText } from '../../../../src/ground/model/sentence.ts'
import { aPodOfDns, aReading, aScene, DEAD, REFUSED, SILENT, STALE, UNSYNCED, V1, V2 } from '../a-scene.ts'

/** In minutes. */
const DAY = 24 * 60
const NOW_MS = Date.UTC(2026, 0, 1, 12)
const COREDNS: RolledWorkload = {
  kind: 'Deployment',
  name: 'coredns',
  desired: 2,
  total: 2,
  updated: 2,
  ready: 2,
  isObserved: true,
}
const MEMORY = { namespace: 'ops', name: 'evenkeel-dns-repairs' }
const PROXY: RolledWorkload = { ...COREDNS, kind: 'DaemonSet', name: 'kube-proxy' }
const BUDGET = {
  namespace: 'kube-system',
  name: 'coredns',
  uid: 'b',
  selector: { matchLabels: {}, matchExpressions: [] },
  disruptionsAllowed: 0,
  currentHealthy: 2,
  desiredHealthy: 2,
  expectedPods: 2,
  syncFailed: false,
}

/** Pod a is dead over UDP, as two nodes see it, and nothing else is the case. */
const sick = (change: Parameters<typeof aScene>[0] = {}): DnsScene => aScene({ pods: { a: SILENT }, ...change })

function decided(change: Partial<RepairSnapshot> = {}, scene = sick()): RepairDecision {
  const facts = {
    rounds: 2,
    budgets: {},
    workload: COREDNS,
    proxies: [PROXY],
    cordoned: [],
    downNodes: [],
    quarantined: [],
    past: [],
    memory: MEMORY,
    wallMs: NOW_MS,
  } as const
  return decideRepair({ ...facts, scene, findings: diagnose(scene), ...change })
}

const codesOf = (scene: DnsScene): readonly string[] => diagnose(scene).map(({ code }) => code)

/** What holds it, by guard. */
const heldBy = (decision: RepairDecision): readonly string[] =>
  decision.kind === 'held' ? decision.guards.flatMap(({ guard, holds }) => (holds ? [] : [guard])) : [decision.kind]

const ago = (minutes: number, outcome: PastRepair['outcome'] = 'cured'): PastRepair => ({
  at: new Date(NOW_MS - minutes * 60_000).toISOString(),
  pod: 'old',
  outcome,
})

test('one pod that two nodes see dead over UDP, beside one that answers, is put in quarantine', () => {
  const decision = decided()
  assert.deepEqual(
    [decision.kind, decision.kind === 'act' && [decision.step, decision.sick.pod.name, decision.sick.code]],
    ['act', ['quarantine', 'a', 'UdpDead']],
  )
  assert.deepEqual(decision.kind === 'act' && decision.guards.map(({ holds }) => holds), Array(8).fill(true))
})

test('a pod of a DaemonSet is evicted: it would come back beside itself', () => {
  const decision = decided({ workload: { ...COREDNS, kind: 'DaemonSet' } })
  assert.equal(decision.kind === 'act' && decision.step, 'evict')
})

test('old data, a dead network and a dead TCP side are repaired as well', () => {
  for (const [reading, code] of [
    [STALE, 'DataStale'],
    [DEAD, 'PodNetworkDead'],
    [aReading({ tcp: 'silent' }), 'TcpDead'],
  ] as const) {
    const decision = decided({}, aScene({ pods: { a: reading } }))
    assert.equal(decision.kind === 'act' && decision.sick.code, code)
  }
})

test('a dead pod is replaced where names outside of the cluster have no answer from any pod', () => {
  const noUpstream = aReading({ upstream: 'fails' })
  const scene = sick({ pods: { a: SILENT, b: noUpstream }, service: noUpstream })
  assert.deepEqual(codesOf(scene), ['UdpDead', 'UpstreamDown'])
  assert.equal(decided({}, scene).kind, 'act')
})

test('a place without IPv6 says nothing against the pods that stay: its paths to them were not asked', () => {
  const here = { name: 'here', node: 'n-x', control: 'answers' } as const
  const noRoute = aReading({ udp: 'notAsked', tcp: 'silent', data: 'unknown', asked: 0 })
  const { paths, ...scene } = sick({ change: { vantages: [V1, V2, here] } })
  const both = paths.flatMap((path): DnsScene['paths'] => {
    const { target, vantage } = path
    if (target.kind !== 'pod') return [path]
    const reading = vantage === 'here' ? noRoute : path.reading
    return [path, { ...path, target: { ...target, address: 'fd01::1' }, reading }]
  })
  assert.equal(decided({}, { ...scene, paths: both }).kind, 'act')
})

test('a pod that hangs is not Ready, and that is no rollout', () => {
  const scene = sick({
    pods: { a: DEAD },
    change: { pods: [aPodOfDns('a', { ready: false, process: 'silent' }), aPodOfDns('b')] },
  })
  assert.equal(decided({ workload: { ...COREDNS, ready: 1 } }, scene).kind, 'act')
})

describe('a node that is down moves nothing', () => {
  const many = { ...PROXY, desired: 5_000, total: 5_000, updated: 5_000, ready: 4_999 }

  test('its kube-proxy is not Ready, and that is no rollout', () => {
    assert.equal(decided({ proxies: [many], downNodes: ['n-y'] }).kind, 'act')
    assert.deepEqual(heldBy(decided({ proxies: [{ ...many, ready: 4_998 }], downNodes: ['n-y'] })), [
      'nothingElseMoves',
    ])
    assert.deepEqual(heldBy(decided({ proxies: [{ ...many, updated: 4_999 }], downNodes: ['n-y'] })), [
      'nothingElseMoves',
    ])
  })

  test('a pod of DNS there has no end, and whether the node is cordoned does not matter', () => {
    const left = aPodOfDns('y', { terminating: true, ready: false, endpoint: 'notServing' })
    const scene = sick({ change: { pods: [aPodOfDns('a'), aPodOfDns('b'), left] } })
    assert.equal(decided({ downNodes: ['n-y'], cordoned: ['n-y'] }, scene).kind, 'act')
    assert.deepEqual(heldBy(decided({}, scene)), ['nothingElseMoves'])
  })
})

describe('nothing is repaired', () => {
  test('where DNS is healthy', () => {
    assert.deepEqual(decided({}, aScene()), { kind: 'nothing', why: 'DNS is healthy' })
  })

  test('where all pods are ill in one way, the API, kube-proxy or a node is at fault: it is no pod’s own', () => {
    for (const [scene, code] of [
      [aScene({ pods: { a: SILENT, b: SILENT } }), 'UdpDropped'],
      [aScene({ pods: { a: STALE, b: STALE } }), 'DataStaleEverywhere'],
      [aScene({ service: { v1: SILENT } }), 'ProxyStale'],
      [
        aScene({
          pods: { a: { v1: DEAD, v2: DEAD } },
          change: { pods: [aPodOfDns('a', { neighbours: 'notReached' }), aPodOfDns('b')] },
        }),
        'NodeNetworkDead',
      ],
    ] as const) {
      const decision = decided({}, scene)
      assert.ok(decision.kind === 'nothing', JSON.stringify(decision))
      assert.match(decision.why, new RegExp(`^${code}`))
    }
  })

  test('where replies of a pod come from elsewhere: it answers', () => {
    const translated = { ...SILENT, how: ['timeout', 'wrongSource'], wrongSource: '10.0.0.9 port 53' } as const
    const decision = decided({}, aScene({ pods: { a: translated } }))
    assert.ok(decision.kind === 'nothing', JSON.stringify(decision))
    assert.match(decision.why, /^ReplyFromElsewhere/)
  })

  test('where there is one pod', () => {
    assert.equal(decided({}, aScene({ pods: { a: SILENT }, change: { pods: [aPodOfDns('a')] } })).kind, 'nothing')
  })
})

describe('a repair is held', () => {
  const cases: readonly (readonly [string, Partial<RepairSnapshot>, DnsScene | undefined, string])[] = [
    ['by one round', { rounds: 1 }, undefined, 'evidence'],
    [
      'from outside of the cluster alone',
      {},
      sick({ change: { vantages: [{ name: 'here', control: 'answers' }] } }),
      'evidence',
    ],
    ['from one node alone', {}, sick({ change: { vantages: [V2] } }), 'evidence'],
    ['from two places of one node', {}, sick({ change: { vantages: [V2, { ...V1, node: 'n-b' }] } }), 'evidence'],
    [
      'from its own node and one that does not reach its control',
      {},
      sick({ change: { vantages: [V1, { ...V2, control: 'fails' }] } }),
      'evidence',
    ],
    [
      'a third place gets right answers from it',
      {},
      sick({
        pods: { a: { v1: STALE, v2: STALE } },
        change: { vantages: [V1, V2, { name: 'v3', node: 'n-c', control: 'answers' }] },
      }),
      'evidence',
    ],
    ['the API server is not ready', { apiNotReady: 'the API server answers 500 at /readyz' }, undefined, 'apiServer'],
    ['CoreDNS is being rolled out', { workload: { ...COREDNS, updated: 1 } }, undefined, 'nothingElseMoves'],
    [
      'its Deployment was changed just now',
      { workload: { ...COREDNS, isObserved: false } },
      undefined,
      'nothingElseMoves',
    ],
    ['kube-proxy is being rolled out', { proxies: [{ ...PROXY, ready: 1 }] }, undefined, 'nothingElseMoves'],
    ['a node with a pod of DNS is cordoned', { cordoned: ['n-b'] }, undefined, 'nothingElseMoves'],
    [
      'it began just now, and is Ready before it knows any Service',
      {},
      sick({ pods: { a: UNSYNCED }, change: { pods: [aPodOfDns('a', { justStarted: true }), aPodOfDns('b')] } }),
      'nothingElseMoves',
    ],
    ['a budget allows nothing', { budgets: { 'uid-a': [BUDGET] } }, undefined, 'budget'],
    ['a pod of an earlier repair is still in quarantine', { quarantined: ['old'] }, undefined, 'quarantine'],
    ['a repair ended just now', { past: [ago(1)] }, undefined, 'pace'],
    ['three were within the hour', { past: [ago(10), ago(20), ago(59.99)] }, undefined, 'pace'],
    ['the last two cured nothing', { past: [ago(400, 'notCured'), ago(500, 'begun'), ago(600)] }, undefined, 'pace'],
    ['the last two, just within a day', { past: [ago(61, 'begun'), ago(DAY - 1, 'begun')] }, undefined, 'pace'],
  ]
  for (const [what, change, scene, guard] of cases)
    test(`law: no pod of DNS is repaired while a guard is against it; ${what}: ${guard}`, () => {
      assert.deepEqual(heldBy(decided(change, scene)), [guard])
    })

  test('from places whose control was not asked: nothing that they say counts', () => {
    const scene = sick({ change: { vantages: [V1, V2].map((one) => ({ ...one, control: 'notAsked' as const })) } })
    assert.deepEqual(heldBy(decided({}, scene)), ['evidence', 'othersAnswer'])
  })

  test('it belongs to nothing that would replace it', () => {
    const { workload: _, ...facts } = {
      workload: COREDNS,
      rounds: 2,
      budgets: {},
      proxies: [],
      cordoned: [],
      downNodes: [],
      quarantined: [],
      past: [],
      memory: MEMORY,
      wallMs: NOW_MS,
    } as const
    const scene = sick()
    assert.deepEqual(heldBy(decideRepair({ ...facts, scene, findings: diagnose(scene) })), ['nothingElseMoves'])
  })

  test('two of three are ill', () => {
    const pods = [aPodOfDns('a'), aPodOfDns('b'), aPodOfDns('c')]
    const scene = aScene({ pods: { a: SILENT, b: SILENT }, change: { pods } })
    assert.deepEqual(heldBy(decided({ workload: { ...COREDNS, desired: 3, total: 3, updated: 3, ready: 3 } }, scene)), [
      'ownCause',
    ])
  })

  test('the Service has a fault that the pod cannot explain', () => {
    // So often that not all of them went to the dead one of two pods by chance.
    const dead = { ...DEAD, asked: 20, lost: 20 }
    for (const service of [dead, REFUSED, { v2: dead }])
      assert.deepEqual(heldBy(decided({}, sick({ pods: { a: SILENT }, service }))), ['ownCause'])
  })

  test('the only other pod does not serve, or loses queries', () => {
    const absent = sick({
      change: { pods: [aPodOfDns('a'), aPodOfDns('b', { endpoint: 'notServing', ready: false })] },
    })
    assert.ok(heldBy(decided({}, absent)).includes('othersAnswer'))
    const losing = sick({ pods: { a: SILENT, b: { v2: aReading({ udp: 'loses', lost: 3 }) } } })
    assert.ok(heldBy(decided({}, losing)).includes('othersAnswer'))
  })
})

test('law: no pod of DNS is repaired while a guard is against it; two repairs that cured nothing hold the next one for a day, and it is said how to go on before that', () => {
  const held = decided({ past: [ago(400, 'begun'), ago(500, 'notCured')] })
  assert.ok(held.kind === 'held')
  assert.equal(
    plainText(held.guards.find(({ guard }) => guard === 'pace')?.text ?? ''),
    'the last 2 repairs, within 24 h, cured nothing: find out why, then delete the record of repairs: ' +
      'kubectl delete configmap -n ops evenkeel-dns-repairs',
  )
  for (const past of [
    [ago(3 * 365 * DAY, 'begun'), ago(4 * 365 * DAY, 'begun')],
    [ago(61, 'begun'), ago(DAY, 'begun')],
  ])
    assert.equal(decided({ past }).kind, 'act', JSON.stringify(past))
})

test('pods that are still in quarantine are named, with the command that deletes them', () => {
  const held = decided({ quarantined: ['old', 'older'] })
  assert.ok(held.kind === 'held')
  assert.equal(
    plainText(held.guards.find(({ guard }) => guard === 'quarantine')?.text ?? ''),
    'old, older of an earlier repair still exists, and a drain of its node cannot evict it: ' +
      'inspect it, then: kubectl delete pod -n kube-system old older',
  )
})

test('after the cool-down, a repair that cured, and two that did not with one that did after them, it goes on', () => {
  for (const past of [
    [ago(6)],
    [ago(10), ago(20), ago(60)],
    [ago(100, 'notCured')],
    [ago(100), ago(200, 'notCured'), ago(300, 'notCured')],
  ])
    assert.equal(decided({ past }).kind, 'act', JSON.stringify(past))
  assert.ok(COOL_DOWN_MS > 300_000)
})

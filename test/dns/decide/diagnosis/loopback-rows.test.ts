import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CAUSES } from '../../../../src/dns/decide/causes.ts'
import { confirmed, needsConfirming } from '../../../../src/dns/decide/confirmed.ts'
import { diagnose } from '../../../../src/dns/decide/diagnosis/diagnose.ts'
import type { PathReading } from '../../../../src/dns/decide/path-reading.ts'
import type { DnsScene, SceneVantage } from '../../../../src/dns/decide/scene.ts'
import type { UdpSeen } from '../../../../src/dns/decide/udp-seen.ts'
import { verdictOf } from '../../../../src/dns/decide/verdict.ts'
import { aPodOfDns, aReading, aScene, V1 } from '../a-scene.ts'

const PORT_FORWARD: SceneVantage = { name: 'port-forward', control: 'notAsked', way: 'portForward' }
const NOT_ASKED = { udp: 'notAsked', asked: 0 } as const
const RIGHT = aReading(NOT_ASKED)
const HUNG = aReading({ ...NOT_ASKED, tcp: 'silent', data: 'unknown' })
const OLD = aReading({ ...NOT_ASKED, data: 'stale', faults: ['L4: NXDOMAIN for Service shop/new'] })

const OBSERVED: UdpSeen = { state: 'observed', received: 40, answered: 40, overMs: 5_000, siblingsMean: 38 }
const SUSPECT: UdpSeen = { state: 'suspect', received: 0, answered: 0, overMs: 5_000, siblingsMean: 40 }
const IDLE: UdpSeen = { state: 'idle', received: 0, answered: 0, overMs: 5_000, siblingsMean: 0 }

interface Loopback {
  readonly seen?: UdpSeen
  readonly reading?: PathReading
}

/** Two pods that were asked on their own loopbacks alone. */
function inside(a: Loopback, b: Loopback, vantages: readonly SceneVantage[] = []): DnsScene {
  const podOf = (name: string, { seen }: Loopback) => aPodOfDns(name, seen === undefined ? {} : { udpSeen: seen })
  return aScene({
    pods: { a: a.reading ?? RIGHT, b: b.reading ?? RIGHT },
    service: aReading({ ...NOT_ASKED, tcp: 'notAsked', data: 'unknown' }),
    change: { pods: [podOf('a', a), podOf('b', b)], vantages: [PORT_FORWARD, ...vantages] },
  })
}

const said = (scene: DnsScene): readonly string[] =>
  diagnose(scene).map(({ code, subjects }) => `${code} ${subjects.map(({ name }) => name).join(', ')}`)

const SERVICE = 'NotAsked kube-system/kube-dns'

const TABLE: readonly (readonly [what: string, scene: DnsScene, verdict: string, said: readonly string[]])[] = [
  ['both answer others', inside({ seen: OBSERVED }, { seen: OBSERVED }), 'observed', ['UdpObserved a, b']],
  ['no client asks them', inside({ seen: IDLE }, { seen: IDLE }), 'unverified', ['UdpUnseen a, b', SERVICE]],
  ['their counters are not known', inside({}, {}), 'unverified', ['UdpUnseen a, b', SERVICE]],
  [
    'one answers others, and no client asks the other one',
    inside({ seen: OBSERVED }, { seen: IDLE }),
    'unverified',
    ['UdpObserved a', 'UdpUnseen b', SERVICE],
  ],
  [
    'one answers none where many are due',
    inside({ seen: SUSPECT }, { seen: OBSERVED }),
    'degraded',
    ['UdpSuspect a', 'UdpObserved b', SERVICE],
  ],
  [
    'one that answers none where many are due knows old data as well',
    inside({ seen: SUSPECT, reading: OLD }, { seen: OBSERVED }),
    'bad',
    ['UdpSuspect a', 'UdpObserved b', 'DataStale a', SERVICE],
  ],
  [
    'one that answers others knows old data',
    inside({ seen: OBSERVED, reading: OLD }, { seen: OBSERVED }),
    'bad',
    ['UdpObserved b', 'DataStale a'],
  ],
  [
    'a process that hangs answers no one',
    inside({ seen: SUSPECT, reading: HUNG }, { seen: OBSERVED }),
    'bad',
    ['ProcessHung a', 'UdpObserved b', SERVICE],
  ],
  [
    'one that answers others over UDP does not hang, and its TCP is dead',
    inside({ seen: OBSERVED, reading: HUNG }, { seen: OBSERVED }),
    'degraded',
    ['TcpDead a', 'UdpObserved b'],
  ],
  [
    'both answer others, and the node that asks is cut off',
    inside({ seen: OBSERVED }, { seen: OBSERVED }, [{ ...V1, name: 'here', control: 'fails' }]),
    'unverified',
    ['UdpObserved a, b', 'VantageCutOff here, n-a'],
  ],
]

for (const [what, scene, verdict, wanted] of TABLE)
  test(`asked on their loopbacks alone, ${what}: ${verdict}`, () => {
    assert.deepEqual([said(scene), verdictOf(diagnose(scene))], [wanted, verdict])
  })

test('what pods count themselves is evidence', () => {
  const [suspect, observed] = diagnose(inside({ seen: SUSPECT }, { seen: OBSERVED }))
  assert.deepEqual(suspect?.evidence, [
    'its own loopback → a: UDP was not asked; TCP answers. By its own counters it received 0 and answered 0 over UDP in 5 s; other pods answered 40 on average',
  ])
  assert.match(observed?.evidence[0] ?? '', /received 40 and answered 40 over UDP in 5 s; other pods answered 38/)
})

test('a pod that is asked over UDP is judged by that, whatever it counts', () => {
  const pods = [aPodOfDns('a', { udpSeen: SUSPECT }), aPodOfDns('b', { udpSeen: OBSERVED })]
  assert.deepEqual(said(aScene({ change: { pods } })), ['Healthy dns'])
})

test('no pod is replaced for what its counters say', () => {
  assert.deepEqual([CAUSES.UdpSuspect.repair, CAUSES.UdpObserved.repair], ['none', 'none'])
})

test('a pod is suspect where two rounds say so, and what one round observed stays', () => {
  const [calm, suspect, observed] = [
    inside({ seen: IDLE }, { seen: IDLE }),
    inside({ seen: SUSPECT }, { seen: OBSERVED }),
    inside({ seen: OBSERVED }, { seen: OBSERVED }),
  ]
  assert.deepEqual([calm, suspect, observed].map(needsConfirming), [false, true, false])
  const first = (now: DnsScene, before: DnsScene) => confirmed(now, before).pods[0]?.udpSeen
  assert.deepEqual(first(suspect, suspect), SUSPECT)
  assert.deepEqual(first(suspect, calm), { ...SUSPECT, state: 'idle' })
  assert.deepEqual(first(calm, suspect), IDLE)
  assert.deepEqual([first(suspect, observed), first(observed, suspect)], [OBSERVED, OBSERVED])
  assert.deepEqual(first(suspect, inside({}, {})), { ...SUSPECT, state: 'idle' })
  assert.equal(first(inside({}, {}), inside({}, {})), undefined)
})

test('names outside that fail on the loopbacks of all pods are the upstream’s fault', () => {
  const cut = { reading: aReading({ ...NOT_ASKED, upstream: 'fails' }) }
  assert.deepEqual(said(inside(cut, cut)), ['UdpUnseen a, b', 'UpstreamDown a, b', SERVICE])
})

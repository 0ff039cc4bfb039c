import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { CAUSES, type CauseCode } from '../../../src/dns/decide/causes.ts'
import { monoMs } from '../../../src/ground/model/time.ts'
import { decide } from '../../../src/roll/decide/decide.ts'
import type { DnsReadings } from '../../../src/roll/decide/dns/dns-readings.ts'
import type { RollSnapshot } from '../../../src/roll/decide/snapshot.ts'
import { plain } from '../../support/plain.ts'
import { aDnsPod, aDnsScene, aPath, dnsSaid } from '../../support/roll-dns.ts'
import { announced, cordoned, out } from '../../support/roll-stages.ts'
import { aRecord, aServer, aSnapshot } from '../../support/roll-world.ts'
import { shortDecision } from '../../support/short-decision.ts'

const withDns = (s: RollSnapshot, dns: DnsReadings): string => shortDecision(decide({ ...s, dns }))
const fresh = aSnapshot()

/** What a check finds and a node waits for before it goes. */
const HOLDS: readonly CauseCode[] = [
  'UdpDead',
  'PodNetworkDead',
  'NodeNetworkDead',
  'ProcessHung',
  'DataStale',
  'DataStaleEverywhere',
  'CrossNodeUdp',
  'ProxyStale',
  'NoEndpointsProgrammed',
  'ReplyFromElsewhere',
  'ServiceWrong',
  'DeadEndpointKept',
  'CacheDead',
  'UdpDropped',
  'OnlyPodDead',
  'AllPodsSilent',
  'Loses',
  'LosesOnTheWay',
  'AnswersLate',
  'ReplyUnmatched',
  'NoPods',
  'SeenFromSomePlaces',
  'AddressSilent',
  'AnswersLate',
  'ReplyUnmatched',
  'NoPods',
  'NoLocalEndpoint',
  'ServiceIll',
  'ServiceAnswersWrong',
  'CacheIll',
  'ExposedUdpDead',
  'ExposedLoses',
  'ExposedWrong',
]

describe('a node goes by what a check of DNS found', () => {
  for (const code of Object.keys(CAUSES) as CauseCode[]) {
    const holds = HOLDS.includes(code)
    test(`${code} ${holds ? 'keeps it' : 'lets it go'}`, () => {
      assert.equal(
        withDns(fresh, dnsSaid([`${code} pod c-2`])),
        holds ? 'hold record: DnsIll' : 'act record: writeRecord',
      )
    })
  }
})

test('what is bad always keeps a node, and what no check could see never does', () => {
  for (const code of Object.keys(CAUSES) as CauseCode[]) {
    const { verdict } = CAUSES[code]
    if (verdict === 'bad') assert.ok(HOLDS.includes(code), code)
    if (verdict === 'ok' || verdict === 'observed' || verdict === 'unverified') assert.ok(!HOLDS.includes(code), code)
  }
})

test('a hold names what was found, what it is about, and what to type', () => {
  const decision = decide({ ...fresh, dns: dnsSaid(['UdpDead pod c-2']) })
  assert.ok(decision.kind === 'hold')
  assert.deepEqual(plain(decision.reasons), [
    {
      code: 'DnsIll',
      object: 'c-2',
      text: 'the cluster DNS is unhealthy: UdpDead, pod c-2: the pod answers over TCP but not over UDP',
      next: 'see what is wrong: evenkeel dns check',
    },
  ])
})

test('of many pods that are ill five are named', () => {
  const many = Array.from({ length: 40 }, (_, at) => `UdpDead pod c-${at}`)
  const decision = decide({ ...fresh, dns: dnsSaid(many) })
  assert.equal(decision.reasons.length, 5)
})

test('a node goes where DNS is not asked at all', () => {
  assert.equal(shortDecision(decide(fresh)), 'act record: writeRecord')
})

test('a first check is awaited for half a minute', () => {
  const since = (askingSince: number): string => withDns(fresh, { askingSince: monoMs(askingSince) })
  assert.equal(withDns(fresh, {}), 'hold record: DnsNotAsked')
  assert.equal(since(970_001), 'hold record: DnsNotAsked')
  assert.equal(since(970_000), 'act record: writeRecord')
})

test('that DNS was well counts for a quarter of a minute', () => {
  const well = (endedAt: number): string =>
    withDns(fresh, dnsSaid(['Healthy cluster dns'], { endedAt: monoMs(endedAt) }))
  assert.equal(well(985_001), 'act record: writeRecord')
  assert.equal(well(985_000), 'hold record: DnsNotAsked')
})

test('that DNS was ill counts until a check finds it well', () => {
  const ill = dnsSaid(['UdpDead pod c-2'], { endedAt: monoMs(0) })
  assert.equal(withDns(fresh, ill), 'hold record: DnsIll')
  const last = {
    kind: 'unknown',
    why: 'timeout',
    begunAt: monoMs(998_000),
    endedAt: monoMs(999_000),
    from: [],
  } as const
  assert.equal(withDns(fresh, { ...ill, last }), 'hold record: DnsIll')
})

test('where a check showed nothing another one is not waited for', () => {
  const old = { begunAt: monoMs(0), endedAt: monoMs(1) }
  const vantages = [{ name: 'here', control: 'fails' }] as const
  const scene = aDnsScene({ vantages })
  assert.equal(withDns(fresh, dnsSaid(['NotAsked cluster dns'], { ...old, scene })), 'act record: writeRecord')
  const none = { kind: 'unknown', why: 'forbidden', from: [] } as const
  assert.equal(withDns(fresh, { last: { ...none, ...old } }), 'act record: writeRecord')
})

test('where a check told of pods and not of the Service another one is waited for', () => {
  const scene = aDnsScene({ paths: [aPath('here', { kind: 'pod', name: 'c-1' })] })
  const old = { begunAt: monoMs(0), endedAt: monoMs(1), scene }
  assert.equal(withDns(fresh, dnsSaid(['NotAsked service kube-system/kube-dns'], old)), 'hold record: DnsNotAsked')
})

describe('DNS that turns ill', () => {
  const ill = dnsSaid(['UdpDropped pod c-1, pod c-2'])
  const undrained = { ...cordoned, servers: [aServer('n1'), aServer('n2'), aServer('n3')] }

  test('holds the cordon and the detach', () => {
    assert.equal(withDns(aSnapshot({ record: aRecord() }), ill), 'hold cordon: DnsIll')
    assert.equal(withDns(aSnapshot(undrained), ill), 'hold detach: DnsIll')
  })

  test('holds nothing up once the node is out of a balancer, or its reboot is announced', () => {
    assert.equal(withDns(aSnapshot(out), ill), shortDecision(decide(aSnapshot(out))))
    assert.equal(withDns(aSnapshot(announced), ill), shortDecision(decide(aSnapshot(announced))))
  })

  test('keeps no node out that is put back without a reboot', () => {
    const verdict = { kind: 'held', keepOut: false, reasons: [] } as const
    const back = aSnapshot(out)
    const restored = { ...back, run: { ...back.run, verdict } }
    assert.equal(withDns(restored, ill), shortDecision(decide(restored)))
  })
})

test('a zone that was only assumed speaks against no pod that does not know it', () => {
  const paths = [{ ...aPath('here', { kind: 'pod', name: 'c-1' }) }, { ...aPath('here', { kind: 'pod', name: 'c-2' }) }]
  const scene = (data: 'noKubernetes' | 'unsynced') =>
    aDnsScene({ paths: paths.map((path) => ({ ...path, reading: { ...path.reading, data } })) })
  const said = (data: 'noKubernetes' | 'unsynced', isZoneAssumed: boolean): string =>
    withDns(fresh, dnsSaid(['DataStaleEverywhere pod c-1, pod c-2'], { scene: scene(data), isZoneAssumed }))
  assert.equal(said('noKubernetes', true), 'act record: writeRecord')
  assert.equal(said('noKubernetes', false), 'hold record: DnsIll')
  assert.equal(said('unsynced', true), 'hold record: DnsIll')
})

describe('the pods of DNS', () => {
  const carried = (pods: ReturnType<typeof aDnsPod>[], findings = ['NotReady pod c-2']): string =>
    withDns(fresh, dnsSaid(findings, { scene: aDnsScene({ pods }) }))
  const idle = { endpoint: 'notServing', ready: false } as const

  test('keep a node that has the only one of them that serves', () => {
    assert.equal(carried([aDnsPod('c-1', 'n1'), aDnsPod('c-2', 'n2', idle)]), 'hold record: LastDnsPod')
  })

  test('keep it too where another one still waits for a node or an image', () => {
    const scene = aDnsScene({ pods: [aDnsPod('c-1', 'n1')] })
    const waiting = { ...scene, service: { ...scene.service, selected: 2, pending: 1 } }
    assert.equal(withDns(fresh, dnsSaid([], { scene: waiting })), 'hold record: LastDnsPod')
  })

  test('let a node go that has another one, or the only one that there is', () => {
    assert.equal(carried([aDnsPod('c-1', 'n1', idle), aDnsPod('c-2', 'n2')]), 'act record: writeRecord')
    assert.equal(carried([aDnsPod('c-1', 'n1'), aDnsPod('c-2', 'n2')]), 'act record: writeRecord')
    assert.equal(carried([aDnsPod('c-1', 'n1')]), 'act record: writeRecord')
    assert.equal(
      carried([aDnsPod('c-1', 'n1'), aDnsPod('c-0', 'n2', { ...idle, terminating: true })]),
      'act record: writeRecord',
    )
  })
})

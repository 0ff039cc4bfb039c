import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { DnsScene } from '../../../src/dns/decide/scene.ts'
import { monoMs } from '../../../src/ground/model/time.ts'
import { decide } from '../../../src/roll/decide/decide.ts'
import type { DnsReadings } from '../../../src/roll/decide/dns/dns-readings.ts'
import { judge } from '../../../src/roll/decide/judge.ts'
import type { RollSnapshot } from '../../../src/roll/decide/snapshot.ts'
import { plain } from '../../support/plain.ts'
import { aDnsScene, aPath, askedOn, dnsSaid } from '../../support/roll-dns.ts'
import { settled, withPort } from '../../support/roll-stages.ts'
import { aRecord, aSnapshot, aSpec } from '../../support/roll-world.ts'
import { shortDecision } from '../../support/short-decision.ts'

/** n1 is rebooted, uncordoned and has settled since 10 s but for DNS. */
const since = (settlingSince: number): RollSnapshot =>
  withPort(aSnapshot({ ...settled, evidence: { ...settled.evidence, settlingSince: monoMs(settlingSince) } }))
const back = since(990_000)
const withDns = (dns: DnsReadings, s = back): string => shortDecision(decide({ ...s, dns }))
const ATTACHES = 'act attach: setServer ready'

/** A check that found this, from here and from a relay on n1 as it says. */
const asked = (findings: readonly string[], scene: Partial<DnsScene>): string =>
  withDns(dnsSaid(findings, { scene: aDnsScene(scene) }))

describe('a node that is back', () => {
  test('serves again once DNS answers on it', () => {
    assert.equal(asked(['Healthy cluster dns'], askedOn('n1')), ATTACHES)
  })

  test('waits while a pod on it reaches nothing', () => {
    const vantages = [{ name: 'relay n1', node: 'n1', control: 'fails' }] as const
    assert.equal(
      asked(['VantageCutOff vantage relay n1, node n1'], { vantages, paths: [] }),
      'hold settle: DnsNotReady DnsNotReady',
    )
  })

  test('waits while a pod on it reaches pods and no Service, as without kube-proxy', () => {
    const { vantages } = askedOn('n1')
    const paths = [aPath('relay n1', { kind: 'pod', name: 'c-2' })]
    assert.equal(asked(['Healthy cluster dns'], { vantages, paths }), 'hold settle: DnsNotReady')
  })

  test('waits while the Service of DNS is silent on it', () => {
    assert.equal(asked(['ProxyStale node n1'], askedOn('n1', 'silent')), 'hold settle: DnsNotReady DnsNotReady')
  })

  test('says what a pod on it does not reach, and what to look at', () => {
    const decision = decide({
      ...back,
      dns: dnsSaid(['Healthy cluster dns'], { scene: aDnsScene(askedOn('n1', 'silent')) }),
    })
    assert.deepEqual(plain(decision.reasons), [
      {
        code: 'DnsNotReady',
        object: 'n1',
        text: 'a pod on n1 gets no answer from the Service of DNS',
        next: 'look at kube-proxy and the network of n1; evenkeel dns check shows more',
      },
    ])
  })

  test('does not wait for a place outside of the cluster that reaches nothing', () => {
    const vantages = [{ name: 'here', control: 'fails' }] as const
    assert.equal(asked(['VantageCutOff vantage here', 'UdpUnseen pod c-1'], { vantages, paths: [] }), ATTACHES)
  })

  test('does not wait for what was lost on the way to its relay', () => {
    assert.equal(asked(['NotAsked service kube-system/kube-dns'], askedOn('n1', 'notAsked')), ATTACHES)
  })
})

/** Asked from here, and where it says so from n1 as well. */
const ROWS: readonly (readonly [string, 'here' | 'n1', string])[] = [
  ['UdpDropped pod c-1, pod c-2', 'n1', 'waits'],
  ['AllPodsSilent cluster dns, vantage here', 'here', 'waits'],
  ['OnlyPodDead pod c-2', 'n1', 'waits'],
  ['DataStaleEverywhere pod c-1, pod c-2', 'n1', 'waits'],
  ['CrossNodeUdp node n2, node n3', 'n1', 'waits'],
  ['ServiceWrong service kube-system/kube-dns', 'n1', 'waits'],
  ['UdpDead pod c-1', 'n1', 'waits'],
  ['UdpDead pod c-2', 'n1', 'serves'],
  ['UdpDead pod c-2', 'here', 'serves'],
  ['NodeNetworkDead pod c-2, node n2', 'here', 'serves'],
  ['NodeNetworkDead pod c-1, node n1', 'here', 'waits'],
  ['Loses pod c-1', 'n1', 'waits'],
  ['Loses pod c-2', 'n1', 'serves'],
  ['ProxyStale node n1', 'n1', 'waits'],
  ['ProxyStale node n2', 'n1', 'serves'],
  ['ProxyStale vantage here', 'here', 'waits'],
  ['ProxyStale vantage here', 'n1', 'serves'],
  ['NoEndpointsProgrammed service kube-system/kube-dns', 'n1', 'waits'],
  ['NoEndpointsProgrammed node n1', 'n1', 'waits'],
  ['CacheDead node n1', 'n1', 'waits'],
  ['CacheDead node n3', 'n1', 'serves'],
  ['DeadEndpointKept node n1', 'n1', 'waits'],
  ['NotReady pod c-1', 'n1', 'serves'],
  ['EndpointMissing pod c-1', 'n1', 'serves'],
  ['VantageCutOff vantage relay n3, node n3', 'n1', 'serves'],
  ['NotAsked cluster dns', 'here', 'serves'],
]

describe('what a check finds while a node settles', () => {
  const HERE = aDnsScene()
  const both = askedOn('n1')
  for (const [finding, from, what] of ROWS) {
    test(`${finding}, asked from ${from === 'n1' ? 'there, too' : 'elsewhere alone'}: the node ${what}`, () => {
      const scene =
        from === 'here'
          ? HERE
          : { vantages: [...HERE.vantages, ...both.vantages], paths: [...HERE.paths, ...both.paths] }
      assert.equal(asked([finding], scene), what === 'waits' ? 'hold settle: DnsNotReady' : ATTACHES)
    })
  }
})

describe('a check counts for a node that is back', () => {
  const unknown = (begunAt: number, why: string) =>
    ({ kind: 'unknown', begunAt: monoMs(begunAt), endedAt: monoMs(begunAt + 1), from: ['n1'], why }) as const
  const begun = (begunAt: number): DnsReadings =>
    dnsSaid(['Healthy cluster dns'], { begunAt: monoMs(begunAt), scene: aDnsScene(askedOn('n1')) })

  test('where it began after the node was uncordoned', () => {
    assert.equal(withDns(begun(989_999)), 'hold settle: DnsNotAsked')
    assert.equal(withDns(begun(990_000)), ATTACHES)
  })

  test('where it asked from that node, and not from one of another lane that is back as well', () => {
    const spec = aSpec({ dns: { image: 'registry.example/evenkeel:1.0', namespace: 'evenkeel' } })
    const from = (nodes: readonly string[], at = nodes[0] ?? ''): DnsReadings =>
      dnsSaid(['Healthy cluster dns'], { begunAt: monoMs(995_000), scene: aDnsScene(askedOn(at)), from: nodes })
    assert.equal(withDns(from(['n2', 'n3']), { ...back, spec }), 'hold settle: DnsNotAsked')
    assert.equal(withDns(from(['n1', 'n3']), { ...back, spec }), ATTACHES)
    assert.equal(withDns(from(['n2', 'n3'])), ATTACHES)
  })

  test('and is awaited for half a minute, with relays for as long as their images may take', () => {
    assert.equal(withDns({}, since(970_001)), 'hold settle: DnsNotAsked')
    assert.equal(withDns({}, since(970_000)), ATTACHES)
    const spec = aSpec({ dns: { image: 'registry.example/evenkeel:1.0', namespace: 'evenkeel' } })
    assert.equal(withDns({}, { ...since(920_001), spec }), 'hold settle: DnsNotAsked')
    assert.equal(withDns({}, { ...since(920_000), spec }), ATTACHES)
  })

  test('and is not waited for from here alone, where the one before showed nothing', () => {
    const last = unknown(1, 'forbidden')
    assert.equal(withDns({ last }), ATTACHES)
    const spec = aSpec({ dns: { image: 'registry.example/evenkeel:1.0', namespace: 'evenkeel' } })
    assert.equal(withDns({ last }, { ...back, spec }), 'hold settle: DnsNotAsked')
  })

  test('and is not missed where it came to nothing', () => {
    const last = unknown(990_000, 'forbidden')
    assert.equal(withDns({ last }), ATTACHES)
    const ill = dnsSaid(['ProxyStale node n1'], { begunAt: monoMs(989_999) })
    assert.equal(withDns({ ...ill, last }), ATTACHES)
  })

  test('and what it found is not forgotten where the next one comes to nothing', () => {
    const last = unknown(995_000, 'timeout')
    const ill = dnsSaid(['ProxyStale node n1'], { begunAt: monoMs(990_000) })
    assert.equal(withDns({ ...ill, last }), 'hold settle: DnsNotReady')
  })
})

test('a node that goes back without a reboot does not wait for DNS', () => {
  const s = aSnapshot({ ...settled, node: {}, announced: false })
  const verdict = { kind: 'held', keepOut: false, reasons: [] } as const
  const restored = { ...s, run: { ...s.run, verdict } }
  assert.equal(withDns(dnsSaid(['UdpDropped pod c-1']), restored), ATTACHES)
})

test('a node that DNS does not work on stays out at the limit, and the end says why', () => {
  const late = { ...since(400_000), dns: dnsSaid(['ProxyStale node n1'], { scene: aDnsScene(askedOn('n1')) }) }
  const verdict = judge(late)
  assert.deepEqual([verdict?.kind, verdict?.keepOut], ['stopped', true])
  assert.deepEqual(
    verdict?.reasons.map(({ code }) => code),
    ['NotSettled', 'DnsNotReady'],
  )
})

test('the endpoints that count are those of the Service that was found', () => {
  const endpoint = { addresses: ['10.1.0.1'], ready: true, serving: true, terminating: false }
  const slice = {
    namespace: 'openshift-dns',
    name: 'x',
    serviceName: 'dns-default',
    ports: [53],
    endpoints: [endpoint],
  }
  const record = aRecord({ dnsReady: 2 })
  const s = withPort(
    aSnapshot({ ...settled, record, evidence: { ...settled.evidence, settlingSince: monoMs(990_000) } }),
  )
  const service = { ...aDnsScene().service, namespace: 'openshift-dns', name: 'dns-default' }
  const dns = dnsSaid(['Healthy cluster dns'], { scene: aDnsScene({ service }) })
  assert.equal(withDns(dns, s), 'hold settle: DnsNotReady')
  assert.equal(withDns(dns, { ...s, cluster: { ...s.cluster, slices: [slice] } }), ATTACHES)
})

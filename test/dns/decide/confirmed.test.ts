import assert from 'node:assert/strict'
import { test } from 'node:test'
import { confirmed, needsConfirming } from '../../../src/dns/decide/confirmed.ts'
import { diagnose } from '../../../src/dns/decide/diagnosis/diagnose.ts'
import { queriesToSeeAll, showsAllAnswer } from '../../../src/dns/decide/sampling.ts'
import type { DnsScene } from '../../../src/dns/decide/scene.ts'
import { lossyRounds, pathAt } from '../../support/dns/lossy-rounds.ts'
import { SeededRandom } from '../../support/seeded-random.ts'
import { aReading, aScene, SILENT, STALE } from './a-scene.ts'

const codes = (scene: DnsScene): readonly string[] => diagnose(scene).map(({ code }) => code)

test('what one round alone saw is not said, and what two saw is', () => {
  const [well, ill] = [aScene(), aScene({ pods: { a: SILENT } })]
  assert.deepEqual(codes(confirmed(ill, well)), ['Healthy'])
  assert.deepEqual(codes(confirmed(well, ill)), ['Healthy'])
  assert.deepEqual(codes(confirmed(ill, ill)), ['UdpDead'])
  const stale = aScene({ pods: { a: STALE } })
  assert.deepEqual(codes(confirmed(stale, well)), ['Healthy'])
  assert.deepEqual(codes(confirmed(stale, stale)), ['DataStale'])
})

test('two rounds that saw different faults confirm the lesser one, with its words alone', () => {
  const [first, second] = [
    aScene({ pods: { a: aReading({ udp: 'loses', how: ['timeout'], lost: 3 }) } }),
    aScene({ pods: { a: SILENT } }),
  ]
  assert.deepEqual(codes(confirmed(second, first)), ['Loses'])
  const other = aScene({ pods: { a: aReading({ data: 'wrongAnswer', faults: ['L3: 10.0.0.1 for another'] }) } })
  const [path] = confirmed(aScene({ pods: { a: STALE } }), other).paths
  assert.deepEqual([path?.reading.data, path?.reading.faults], ['stale', []])
})

test('the queries of both rounds are counted, also of a path that one of them found well', () => {
  const [first, second] = [aScene({ pods: { a: SILENT } }), aScene({ pods: { a: aReading({ asked: 73, lost: 1 }) } })]
  const [path] = confirmed(second, first).paths
  assert.deepEqual([path?.reading.udp, path?.reading.asked, path?.reading.lost], ['answers', 77, 5])
})

test('a pod that was ill in both rounds is not well, also where each saw another fault', () => {
  const [silent, stale] = [aScene({ pods: { a: SILENT } }), aScene({ pods: { a: STALE } })]
  assert.deepEqual([codes(confirmed(stale, silent)), codes(confirmed(silent, stale))], [['Loses'], ['Loses']])
  const upstream = aScene({ pods: { a: aReading({ upstream: 'fails' }), b: aReading({ upstream: 'answers' }) } })
  assert.deepEqual(codes(confirmed(upstream, silent)), ['UpstreamOfOne'])
})

test('what one round saw and the other could not ask is not said', () => {
  const lost = aScene({ pods: { a: aReading({ udp: 'notAsked', tcp: 'notAsked', data: 'unknown', asked: 0 }) } })
  const [silent, stale] = [aScene({ pods: { a: SILENT } }), aScene({ pods: { a: STALE } })]
  assert.deepEqual([codes(confirmed(lost, silent)), codes(confirmed(silent, lost))], [['NotAsked'], ['NotAsked']])
  assert.deepEqual([codes(confirmed(lost, stale)), codes(confirmed(stale, lost))], [['Healthy'], ['Healthy']])
  assert.deepEqual(codes(confirmed(lost, aScene())), ['Healthy'])
})

test('a port that is silent in one round, and was not asked from in the other, is not said', () => {
  const [silent, unasked] = [aScene({ canary: 'silent' }), aScene()]
  for (const both of [confirmed(silent, unasked), confirmed(unasked, silent)])
    assert.deepEqual(codes(both), ['Healthy'])
  assert.deepEqual(codes(confirmed(silent, silent)), ['ProxyStale'])
  assert.deepEqual(codes(confirmed(silent, aScene({ canary: 'answers' }))), ['Healthy'])
})

test('a path that one round alone asked counts by what answered there', () => {
  const without = (scene: DnsScene): DnsScene => ({
    ...scene,
    paths: scene.paths.filter(({ vantage }) => vantage !== 'v1'),
  })
  const ill = aScene({ pods: { a: { v1: SILENT } } })
  assert.deepEqual(codes(confirmed(ill, without(ill))), ['Healthy'])
  assert.deepEqual(codes(confirmed(without(ill), ill)), ['Healthy'])
  const stale = aScene({ pods: { a: { v1: STALE } } })
  assert.deepEqual(codes(confirmed(stale, without(stale))), ['Healthy'])
})

test('a reply from elsewhere in one of two rounds shows that the pod answers', () => {
  const fromElsewhere = aScene({
    pods: { a: { ...SILENT, how: ['timeout', 'wrongSource'], wrongSource: '10.0.0.9 port 53' } },
  })
  const silent = aScene({ pods: { a: SILENT } })
  for (const both of [confirmed(fromElsewhere, silent), confirmed(silent, fromElsewhere)])
    assert.deepEqual(codes(both), ['ReplyFromElsewhere'])
})

test('a round in which nothing went wrong needs no other one', () => {
  assert.equal(needsConfirming(aScene()), false)
  for (const reading of [SILENT, STALE, aReading({ tcp: 'silent' }), aReading({ upstream: 'fails' })])
    assert.equal(needsConfirming(aScene({ pods: { a: reading } })), true)
  assert.equal(needsConfirming(aScene({ canary: 'silent' })), true)
})

test('at one packet lost in a hundred nothing is said in 10,000 rounds, and a dead pod is in the second one', () => {
  const random = new SeededRandom(20261124)
  const { alone, twice } = lossyRounds(10_000, () => pathAt(0.01, random))
  assert.ok(alone < 20, `${alone} rounds saw something alone`)
  assert.equal(twice, 0)
  assert.equal(pathAt(1, random), 'silent')
})

for (const endpoints of [2, 5, 10, 20])
  test(`of ${endpoints} endpoints one is dead: in a hundred checks, no more than a few are said to show that all answer`, () => {
    const random = new SeededRandom(endpoints)
    for (const asked of [queriesToSeeAll(endpoints), queriesToSeeAll(endpoints + 1), 90, 150]) {
      const wrong = Array.from({ length: 10_000 }).filter(() => {
        const lost = Array.from({ length: asked }).filter(() => random.next() < 1 / endpoints).length
        return showsAllAnswer({ asked, lost, endpoints })
      }).length
      assert.ok(wrong <= 130, `${wrong} of 10,000 with ${asked} queries`)
    }
    assert.equal(showsAllAnswer({ asked: 500, lost: 0, endpoints }), true)
  })

test('of ten endpoints of the Service one is dead: it is seen in 99 of 100 pairs of rounds, and random loss is passed over', () => {
  const random = new SeededRandom(10)
  const queries = queriesToSeeAll(10)
  assert.equal(lossyRounds(5_000, () => pathAt(0.01, random, queries)).twice, 0)
  const { twice } = lossyRounds(1_000, () => pathAt(1 / 10, random, queries))
  assert.ok(twice >= 985, `in ${twice} of 1,000 pairs of rounds`)
})

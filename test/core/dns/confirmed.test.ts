import assert from 'node:assert/strict'
import { test } from 'node:test'
import { confirmed, needsConfirming } from '../../../src/core/dns/confirmed.ts'
import { diagnose } from '../../../src/core/dns/diagnosis/diagnose.ts'
import { readPath } from '../../../src/core/dns/path-reading.ts'
import { nextTry, readTry, type Try } from '../../../src/core/dns/path-script.ts'
import type { DnsScene } from '../../../src/core/dns/scene.ts'
import { SeededRandom } from '../../support/seeded-random.ts'
import { aReading, aScene, SILENT, STALE } from './a-scene.ts'
import { NONCE, ZONE } from './a-zone.ts'

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

test('a round in which nothing went wrong needs no other one', () => {
  assert.equal(needsConfirming(aScene()), false)
  for (const reading of [SILENT, STALE, aReading({ tcp: 'silent' }), aReading({ upstream: 'fails' })])
    assert.equal(needsConfirming(aScene({ pods: { a: reading } })), true)
  assert.equal(needsConfirming(aScene({ canary: 'silent' })), true)
})

const REPLY = {
  rcode: 'REFUSED',
  authoritative: true,
  truncated: false,
  answers: [],
  authorities: [],
  extendedErrors: [],
  bytes: 60,
}

/** UDP of one path in one round at that loss; what is answered does not matter here. */
function pathAt(loss: number, random: SeededRandom): 'answers' | 'loses' | 'silent' | 'notAsked' {
  const tries: Try[] = []
  for (let next = nextTry(tries, ZONE, NONCE); next !== undefined; next = nextTry(tries, ZONE, NONCE)) {
    const outcome =
      random.next() < loss ? ({ kind: 'timeout' } as const) : ({ kind: 'reply', afterMs: 1, reply: REPLY } as const)
    tries.push(readTry(next, outcome, { facts: ZONE, nonce: NONCE }))
  }
  return readPath(tries).udp
}

test('at one packet lost in a hundred nothing is said in 10⁵ rounds, and a dead pod is in the second one', () => {
  const random = new SeededRandom(20261124)
  let [before, alarms, unconfirmed] = ['answers', 0, 0]
  for (let i = 0; i < 100_000; i += 1) {
    const now = pathAt(0.01, random)
    if (now !== 'answers') unconfirmed += 1
    if (now !== 'answers' && before !== 'answers') alarms += 1
    before = now
  }
  assert.ok(unconfirmed < 20, `${unconfirmed} rounds saw something alone`)
  assert.equal(alarms, 0)
  assert.equal(pathAt(1, random), 'silent')
})

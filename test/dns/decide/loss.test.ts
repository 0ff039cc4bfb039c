import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chanceOfSoFew, chanceOfSoMany, type LossCount } from '../../../src/dns/decide/chances.ts'
import {
  isLostByChance,
  judgeLoss,
  losesMore,
  lossSeenFrom,
  QUERIES_IF_NONE_IS_LOST,
  QUERIES_TO_SEE_LIFE,
  queriesToKnow,
} from '../../../src/dns/decide/loss.ts'
import { SeededRandom } from '../../support/seeded-random.ts'

const LADDER_QUERIES = 7

/** A round on a path that loses each query with this chance: the ladder, and then as many as it takes to know. */
function round(share: number, random: SeededRandom): LossCount {
  let [asked, lost] = [0, 0]
  for (let more = LADDER_QUERIES; more > 0; more = queriesToKnow({ asked, lost })) {
    lost += Array.from({ length: more }).filter(() => random.next() < share).length
    asked += more
  }
  return { asked, lost }
}

/** In how many of so many checks both of their rounds find it ill, and the queries of a first round on the average. */
function reported(checks: number, share: number): { readonly reports: number; readonly queries: number } {
  const random = new SeededRandom(20261130)
  let [reports, queries] = [0, 0]
  for (let check = 0; check < checks; check += 1) {
    const first = round(share, random)
    queries += first.asked / checks
    if (judgeLoss(first) === 'ill' && judgeLoss(round(share, random)) === 'ill') reports += 1
  }
  return { reports, queries: Math.round(queries) }
}

const CHECKS = 10_000
for (const [share, least, most, queries] of [
  [0, 0, 0, 73],
  [0.001, 0, 0, 75],
  [0.01, 0, 0, 97],
  [0.1, 0.99 * CHECKS, CHECKS, 98],
  [0.2, 0.999 * CHECKS, CHECKS, 72],
  [0.5, CHECKS, CHECKS, 22],
] as const)
  test(`a path that loses ${100 * share} % is reported in ${least} to ${most} of ${CHECKS} checks, by ${queries} queries`, () => {
    const found = reported(CHECKS, share)
    assert.ok(found.reports >= least && found.reports <= most, `${found.reports} reports`)
    assert.ok(Math.abs(found.queries - queries) <= 4, `${found.queries} queries`)
  })

test('a path is asked on until it is known, and not without an end', () => {
  assert.equal(QUERIES_IF_NONE_IS_LOST, 73)
  for (let lost = 0; lost <= 200; lost += 1)
    for (let asked = lost; asked <= 200; asked += 1) {
      const more = queriesToKnow({ asked, lost })
      assert.equal(more > 0, judgeLoss({ asked, lost }) === 'open', `${lost} of ${asked}`)
      assert.ok(more <= 80 && (more === 0 || asked + more <= 200), `${more} after ${lost} of ${asked}`)
    }
  for (const [asked, lost, is] of [
    [4, 3, 'ill'],
    [70, 4, 'open'],
    [199, 7, 'open'],
    [200, 8, 'ill'],
    [200, 7, 'well'],
  ] as const)
    assert.equal(judgeLoss({ asked, lost }), is, `${lost} of ${asked}`)
})

test('what may have been missed is 10 % where enough was asked, and more where less was', () => {
  const percent = (asked: number, lost = 0): number => Math.round(100 * lossSeenFrom({ asked, lost }))
  assert.deepEqual([percent(73), percent(400, 2), percent(20), percent(8), percent(1)], [10, 10, 21, 44, 99])
  assert.deepEqual([percent(88, 1), percent(30, 2)], [10, 25])
})

test('one path loses more than another if chance does not explain it', () => {
  const of = (lost: number, asked: number): LossCount => ({ asked, lost })
  assert.equal(losesMore(of(16, 160), of(0, 128)), true)
  assert.equal(losesMore(of(16, 160), of(1, 128)), true)
  assert.equal(losesMore(of(8, 160), of(5, 128)), false)
  assert.equal(losesMore(of(16, 160), of(16, 160)), false)
  assert.equal(losesMore(of(3, 7), of(0, 0)), false)
})

test('three queries in a row may be lost by chance where half are, and not where one of ten is', () => {
  assert.equal(isLostByChance(3, { asked: 20, lost: 10 }), true)
  assert.equal(isLostByChance(3, { asked: 20, lost: 2 }), false)
  assert.equal(isLostByChance(2, { asked: 64, lost: 0 }), false)
})

test('of so many queries nine in ten are lost, and all of them in one of 500 cases', () => {
  assert.equal(QUERIES_TO_SEE_LIFE, 59)
  assert.ok(0.9 ** QUERIES_TO_SEE_LIFE < 1 / 500)
})

test('chances are those of the textbook', () => {
  const near = (value: number, wanted: number): void => assert.ok(Math.abs(value - wanted) < 1e-9, String(value))
  near(chanceOfSoFew({ asked: 10, lost: 0 }, 0.5), 1 / 1_024)
  near(chanceOfSoFew({ asked: 10, lost: 1 }, 0.5), 11 / 1_024)
  near(chanceOfSoFew({ asked: 3, lost: 3 }, 0.2), 1)
  assert.deepEqual([chanceOfSoFew({ asked: 3, lost: 3 }, 1), chanceOfSoFew({ asked: 3, lost: 2 }, 1)], [1, 0])
  // Fisher's tea: four cups of eight, all four told rightly.
  near(chanceOfSoMany({ asked: 4, lost: 4 }, { asked: 4, lost: 0 }), 1 / 70)
  near(chanceOfSoMany({ asked: 4, lost: 3 }, { asked: 4, lost: 1 }), 17 / 70)
  near(chanceOfSoMany({ asked: 4, lost: 0 }, { asked: 4, lost: 4 }), 1)
})

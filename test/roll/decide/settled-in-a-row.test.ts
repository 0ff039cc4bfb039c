import assert from 'node:assert/strict'
import { test } from 'node:test'
import { monoMs } from '../../../src/ground/model/time.ts'
import { decide } from '../../../src/roll/decide/decide.ts'
import type { Evidence } from '../../../src/roll/decide/evidence.ts'
import { rememberDecision } from '../../../src/roll/decide/remember-decision.ts'
import { uncordoned, withPort } from '../../support/roll-stages.ts'
import { aSnapshot } from '../../support/roll-world.ts'
import { shortDecision } from '../../support/short-decision.ts'

const proven = aSnapshot(uncordoned)

/** Passes at these times, each with what the last one left behind; at `bad` the data port does not answer. */
function passesAt(times: readonly number[], bad: readonly number[] = []): readonly (readonly [string, number])[] {
  let evidence: Evidence = proven.evidence
  return times.map((ms) => {
    const s = { ...proven, now: monoMs(1_000_000 + ms), evidence }
    const seen = bad.includes(ms) ? s : withPort(s)
    const decision = decide(seen)
    evidence = rememberDecision(seen, decision)
    return [shortDecision(decision), evidence.settledInARow] as const
  })
}

const ONCE_MORE = 'hold settle: SettledOnce'

test('three passes within four milliseconds are one look, not three in a row', () => {
  assert.deepEqual(passesAt([0, 2, 4, 6]), [
    [ONCE_MORE, 1],
    [ONCE_MORE, 1],
    [ONCE_MORE, 1],
    [ONCE_MORE, 1],
  ])
})

test('looks count that are a quarter of a second apart, and after the third the node is attached', () => {
  assert.deepEqual(passesAt([0, 249, 250, 499, 500, 501]), [
    [ONCE_MORE, 1],
    [ONCE_MORE, 1],
    [ONCE_MORE, 2],
    [ONCE_MORE, 2],
    [ONCE_MORE, 3],
    ['act attach: setServer ready', 3],
  ])
})

test('one bad look in between begins the row anew', () => {
  assert.deepEqual(passesAt([0, 250, 300, 500, 750, 1_000, 1_001], [300]), [
    [ONCE_MORE, 1],
    [ONCE_MORE, 2],
    ['hold settle: DataPortSilent', 0],
    [ONCE_MORE, 1],
    [ONCE_MORE, 2],
    [ONCE_MORE, 3],
    ['act attach: setServer ready', 3],
  ])
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decide } from '../../../src/roll/decide/decide.ts'
import { cordoned, proven } from '../../support/roll-stages.ts'
import { aSnapshot } from '../../support/roll-world.ts'
import { shortDecision } from '../../support/short-decision.ts'

/** An earlier process of the run brought n1 through. */
const run = { id: 'run-1', order: ['n1', 'n2', 'n3'], done: ['n1'] }

test('a node that an earlier process brought through is not begun again, though an old list showed its record', () => {
  const free = { state: 'free', mayAct: false } as const
  const decisions = [free, { state: 'mine', mayAct: true } as const].map((slot) =>
    shortDecision(decide(aSnapshot({ change: { slot, run } }))),
  )
  assert.deepEqual(decisions, ['settled: NodeDone', 'act slot: releaseSlot'])
})

test('nothing is done to a node that is through and shown as it was before its reboot', () => {
  assert.equal(shortDecision(decide(aSnapshot({ ...cordoned, change: { run } }))), 'hold record: OldNews')
})

test('a node whose process died between its last note and its record goes the rest of the way', () => {
  assert.match(shortDecision(decide(aSnapshot({ ...proven, change: { run } }))), /^act uncordon/)
})

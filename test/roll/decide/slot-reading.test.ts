import assert from 'node:assert/strict'
import { test } from 'node:test'
import { monoMs } from '../../../src/ground/model/time.ts'
import { decide } from '../../../src/roll/decide/decide.ts'
import { observe } from '../../../src/roll/decide/observe.ts'
import { rememberOutcome } from '../../../src/roll/decide/remember-outcome.ts'
import type { RollSnapshot } from '../../../src/roll/decide/snapshot.ts'
import { anInstance, aServer, aSnapshot } from '../../support/roll-world.ts'
import { shortDecision } from '../../support/short-decision.ts'

const TAKEN_AT = monoMs(1_000_000)
const TAKE = { kind: 'takeSlot', node: 'n1', takeStale: false, restores: false } as const

/** The slot was taken a moment ago; the balancer was asked last at that time. */
function askedAt(ms: number): RollSnapshot {
  const asked = anInstance([aServer('n1'), aServer('n2')], { askedAt: monoMs(ms) })
  const before = aSnapshot({ change: { instances: [asked], now: TAKEN_AT } })
  return { ...before, evidence: rememberOutcome(before, TAKE, { ok: true }) }
}

test('law: the record says what was there while the slot was held; what a balancer was asked before the slot was taken is not recorded: another run may still have been at work', () => {
  assert.deepEqual(
    [999_999, 1_000_000].map((ms) => shortDecision(decide(askedAt(ms)))),
    ['hold record: ReadBeforeSlot', 'act record: writeRecord'],
  )
})

test('a slot whose claim was answered too late is ours from when that is seen', () => {
  const { slotTakenAt: _, ...evidence } = askedAt(0).evidence
  const late = { ...askedAt(0), evidence }
  assert.equal(observe(late).slotTakenAt, TAKEN_AT)
  assert.equal(observe({ ...late, slot: { state: 'other', mayAct: false } }).slotTakenAt, undefined)
})

test('law: the record says what was there while the slot was held; a slot that was given back and taken again is ours from the second time', () => {
  const { evidence, ...s } = askedAt(1_000_000)
  const given = rememberOutcome({ ...s, evidence }, { kind: 'releaseSlot', node: 'n1' }, { ok: true })
  const again = observe({ ...s, evidence: given, now: monoMs(1_060_000) })
  assert.equal(again.slotTakenAt, 1_060_000)
  const refused = { ok: false, code: 'SLOT_UNANSWERED', error: 'no answer', retryInMs: 1000 } as const
  assert.equal(rememberOutcome({ ...s, evidence }, { kind: 'releaseSlot', node: 'n1' }, refused).slotTakenAt, TAKEN_AT)
})

test('law: the record says what was there while the slot was held; what a balancer said is not recorded before the roll knows since when it owns the slot', () => {
  const { slotTakenAt: _, ...evidence } = askedAt(1_000_000).evidence
  assert.equal(shortDecision(decide({ ...askedAt(1_000_000), evidence })), 'hold record: ReadBeforeSlot')
})

test('law: the record says what was there while the slot was held; what is recorded of the node is as of one version of it', () => {
  const decision = decide(askedAt(1_000_000))
  const [action] = decision.kind === 'act' ? decision.actions : []
  assert.equal(action?.kind === 'writeRecord' && action.asOf, '1')
})

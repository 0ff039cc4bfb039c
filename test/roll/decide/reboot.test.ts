import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RebootAnswer } from '../../../src/ground/model/host.ts'
import type { Node } from '../../../src/ground/model/node.ts'
import { monoMs } from '../../../src/ground/model/time.ts'
import { decide } from '../../../src/roll/decide/decide.ts'
import { nodeResult } from '../../../src/roll/decide/node-result.ts'
import { rememberOutcome } from '../../../src/roll/decide/remember-outcome.ts'
import { announced } from '../../support/roll-stages.ts'
import { aRecord, aSnapshot, detachedEvidence } from '../../support/roll-world.ts'
import { shortDecision } from '../../support/short-decision.ts'

/** The node still shows the boot id that it had, `ms` after it answered the command so; `resendAfter` is a minute. */
function after(ms: number, answer: RebootAnswer, node: Partial<Node> = {}) {
  const sentAt = monoMs(900_000)
  const evidence = { ...detachedEvidence(), intentByUs: true, reboot: { at: sentAt, answer } }
  const s = aSnapshot({ ...announced, node: { ...announced.node, ...node }, evidence })
  return { ...s, now: monoMs(sentAt + ms) }
}

const next = (...call: Parameters<typeof after>): string => shortDecision(decide(after(...call)))

test('a reboot that the machine took and ignored is sent again after resendAfter', () => {
  assert.equal(next(59_999, { kind: 'sent' }), 'hold reboot: Rebooting')
  assert.equal(next(60_000, { kind: 'sent' }), 'act reboot: sendReboot')
})

test('and again after it once more, as often as it is ignored', () => {
  const s = after(60_000, { kind: 'sent' })
  const decision = decide(s)
  const [action] = decision.kind === 'act' ? decision.actions : []
  assert.ok(action)
  const evidence = rememberOutcome(s, action, { ok: true, reboot: { kind: 'sent' } })
  const later = (ms: number): string => shortDecision(decide({ ...s, evidence, now: monoMs(s.now + ms) }))
  assert.deepEqual(
    [later(0), later(59_999), later(60_000)],
    ['hold reboot: Rebooting', 'hold reboot: Rebooting', 'act reboot: sendReboot'],
  )
})

test('a reboot that another run announced is not announced for this one', () => {
  const s = aSnapshot(announced)
  const { intent } = s.current
  assert.ok(intent?.ok)
  const theirs = { ok: true, value: { ...intent.value, run: 'run-2' } } as const
  assert.equal(shortDecision(decide({ ...s, current: { ...s.current, intent: theirs } })), 'act reboot: writeIntent')
})

test('a machine that took the reboot and is not Ready since is at it: nothing is sent a second time', () => {
  assert.equal(next(600_000, { kind: 'sent' }, { ready: 'Unknown' }), 'hold reboot: Rebooting')
  assert.equal(next(600_000, { kind: 'sent' }, { ready: 'False' }), 'hold reboot: Rebooting')
})

test('law: a lost connection is not knowing whether the reboot was sent, and not knowing is waited for; of a command that may not have arrived nothing is waited for but resendAfter', () => {
  const unknown = { kind: 'unknown', text: 'cut' } as const
  assert.equal(next(59_999, unknown, { ready: 'Unknown' }), 'hold reboot: RebootUnknown')
  assert.equal(next(60_000, unknown, { ready: 'Unknown' }), 'act reboot: sendReboot')
})

test('a command that could not be sent is tried again after 5 s, and its node is known to be not rebooted', () => {
  const unsent = { kind: 'unsent', text: 'ssh n1: Connection refused' } as const
  assert.equal(next(4_999, unsent), 'hold reboot: RebootUnsent')
  assert.equal(next(5_000, unsent), 'act reboot: sendReboot')
  assert.equal(nodeResult(after(0, unsent), undefined, 0).text, 'not rebooted, cordoned, detached')
})

test('a command that could not be sent says nothing about the one before it, which may have arrived', () => {
  const s = after(60_000, { kind: 'unknown', text: 'cut' })
  const decision = decide(s)
  const [action] = decision.kind === 'act' ? decision.actions : []
  assert.ok(action)
  const evidence = rememberOutcome(s, action, { ok: true, reboot: { kind: 'unsent', text: 'refused' } })
  assert.deepEqual(evidence.reboot?.answer, { kind: 'unknown', text: 'cut' })
})

test('a command that may have got lost is sent again while the machine has time left, also where resendAfter is the longer limit', () => {
  const answered = (ms: number, reboot: { answer: RebootAnswer } | undefined): string => {
    const s = after(ms, reboot?.answer ?? { kind: 'sent' })
    const spec = { ...s.spec, reboot: { ...s.spec.reboot, returnLimitMs: 40_000 } }
    const { reboot: sent, ...others } = s.evidence
    assert.ok(sent)
    // Without an answer: an earlier process may have sent it.
    const evidence = reboot === undefined ? { ...others, intentByUs: false, awaySince: sent.at } : s.evidence
    return shortDecision(decide({ ...s, spec, evidence }))
  }
  for (const lost of [undefined, { answer: { kind: 'unknown', text: 'cut' } as const }]) {
    assert.equal(answered(19_999, lost), 'hold reboot: RebootUnknown')
    assert.equal(answered(20_000, lost), 'act reboot: sendReboot')
  }
  assert.equal(answered(20_000, { answer: { kind: 'sent' } }), 'hold reboot: Rebooting')
})

test('a process that writes a lost intent again does not know whether the command was sent: it waits, and says that the node may be rebooting', () => {
  const s = aSnapshot(announced)
  for (const written of [
    { kind: 'writeRecord', node: 'n1', record: aRecord(), announced: true },
    { kind: 'writeIntent', node: 'n1', bootId: aRecord().bootId, again: true },
  ] as const) {
    const evidence = { ...rememberOutcome(s, written, { ok: true }), awaySince: s.now }
    const later = (ms: number) => ({ ...s, evidence, now: monoMs(s.now + ms) })
    assert.equal(shortDecision(decide(later(0))), 'hold reboot: RebootUnknown')
    assert.match(nodeResult(later(0), undefined, 0).text, /^may be rebooting/)
    assert.equal(shortDecision(decide(later(60_000))), 'act reboot: sendReboot')
  }
})

test('an intent that others took off is written again before anything else, also once the roll has stopped', () => {
  const s = aSnapshot({ ...announced, evidence: { ...detachedEvidence(), awaySince: monoMs(0) } })
  const verdict = { kind: 'stopped', keepOut: false, reasons: [] } as const
  for (const run of [s.run, { ...s.run, verdict }]) {
    const decision = decide({ ...s, run, current: { ...s.current, intentLost: true } })
    assert.deepEqual(decision.kind === 'act' && decision.actions, [
      { kind: 'writeIntent', node: 'n1', bootId: aRecord().bootId, again: true },
    ])
  }
})

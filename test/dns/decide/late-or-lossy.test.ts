import assert from 'node:assert/strict'
import { test } from 'node:test'
import { lateOrLossy } from '../../../src/dns/decide/late-or-lossy.ts'
import type { DnsOutcome } from '../../../src/dns/model/dns.ts'

const REPLY = {
  ...{ rcode: 'NOERROR', authoritative: true, truncated: false, recursive: false },
  ...{ answers: [], authorities: [], extendedErrors: [], bytes: 60 },
}
const after = (afterMs: number): DnsOutcome => ({ kind: 'reply', reply: REPLY, afterMs })
const LOST: DnsOutcome = { kind: 'timeout' }
const times = (count: number, outcome: DnsOutcome): readonly DnsOutcome[] => Array(count).fill(outcome)
const said = (...ofQuestions: readonly (readonly DnsOutcome[])[]) => lateOrLossy(ofQuestions, 1_000)

test('answers that all come after the time are late', () => {
  assert.deepEqual(said([after(1_200), after(2_400)], [after(1_600)]), { kind: 'late', afterMs: 2_400 })
})

test('where more get no answer than come late, it is loss, and what came late was lost too', () => {
  assert.deepEqual(said([...times(5, LOST), ...times(3, after(1_500)), ...times(2, after(1))]), {
    ...{ kind: 'lossy', asked: 10, lost: 8 },
  })
  assert.equal(said([...times(1, LOST), ...times(3, after(1_500)), ...times(6, after(1))]).kind, 'late')
})

test('a question that is dropped on the way as such says nothing', () => {
  assert.deepEqual(said(times(9, LOST), times(9, after(1))), { kind: 'lossy', asked: 9, lost: 0 })
})

test('what answers nothing is silent, and what this place could not send is not lost', () => {
  assert.deepEqual(said(times(9, LOST), times(9, { kind: 'refused' })), { kind: 'silent' })
  const unsent: DnsOutcome = { kind: 'notAsked', text: 'EMFILE' }
  assert.deepEqual(said([...times(4, unsent), after(1)]), { kind: 'lossy', asked: 1, lost: 0 })
})

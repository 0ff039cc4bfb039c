import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Reason } from '../../../src/ground/model/reason.ts'
import { monoMs } from '../../../src/ground/model/time.ts'
import { decide } from '../../../src/roll/decide/decide.ts'
import { goneVerdict } from '../../../src/roll/decide/node-gone.ts'
import type { NodeSnapshot } from '../../../src/roll/decide/node-snapshot.ts'
import type { Verdict } from '../../../src/roll/model/verdict.ts'
import { out } from '../../support/roll-stages.ts'
import { aRecord, aSnapshot } from '../../support/roll-world.ts'

const GONE: Reason = {
  code: 'NodeGone',
  object: 'n1',
  text: 'node n1 is gone from the cluster, and it is out; the record on it is gone as well',
  next: 'let n1 register again; if that happens after this process has ended, resume or abort the run, whose journal has the record (by hand: docs/put-a-node-back.md)',
}
const FAILED: Reason = { code: 'RequestsFailed', text: 'x' }

/** n1 is out and its object was missed so long ago. */
function missedFor(ms: number, verdict?: Verdict): NodeSnapshot {
  const s = aSnapshot({ ...out, evidence: { ...out.evidence, goneSince: monoMs(1_000_000 - ms) } })
  const run = verdict === undefined ? s.run : { ...s.run, verdict }
  return { ...s, run, current: { ...s.current, absent: true } }
}
const kept = (keepOut: boolean, reasons: Verdict['reasons']): Verdict => ({ kind: 'aborted', keepOut, reasons })

test('a node that is out and has no object any more is waited for, which says what to do', () => {
  assert.deepEqual(decide(missedFor(0)), { kind: 'hold', step: 'reboot', reasons: [GONE], recheckAfterMs: 500 })
})

test('a node that is gone for as long as a reboot may take stays out', () => {
  assert.equal(goneVerdict(missedFor(899_999)), undefined)
  assert.deepEqual(goneVerdict(missedFor(900_000)), { kind: 'stopped', keepOut: true, reasons: [GONE] })
})

test('any verdict that keeps out a node that is gone says so as well, and once', () => {
  assert.deepEqual(goneVerdict(missedFor(0, kept(true, [FAILED]))), {
    kind: 'stopped',
    keepOut: true,
    reasons: [FAILED, GONE],
  })
  assert.equal(goneVerdict(missedFor(0, kept(false, [FAILED]))), undefined)
  assert.deepEqual(goneVerdict(missedFor(900_000, kept(false, [FAILED])))?.reasons, [FAILED, GONE])
  assert.equal(goneVerdict(missedFor(900_000, kept(true, [FAILED, GONE]))), undefined)
})

test('a node is not given up as gone by an old list, nor where it is there, is not ours or was never missed', () => {
  const s = missedFor(900_000)
  const { current, ...none } = s
  const { absent: _, ...there } = current
  const { goneSince: _since, ...evidence } = s.evidence
  const others = { ok: true, value: aRecord({ run: 'run-2' }) } as const
  assert.equal(goneVerdict(none), undefined)
  assert.equal(goneVerdict({ ...s, current: there }), undefined)
  assert.equal(goneVerdict({ ...s, current: { ...current, record: others } }), undefined)
  assert.equal(goneVerdict({ ...s, evidence }), undefined)
  assert.equal(goneVerdict({ ...s, cluster: { ...s.cluster, staleForMs: 1 } }), undefined)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { present } from '../../../src/ground/model/present.ts'
import type { FailureWindow, ProbeStatus } from '../../../src/ground/model/probe.ts'
import type { Reason, ReasonCode } from '../../../src/ground/model/reason.ts'
import { plainText } from '../../../src/ground/model/sentence.ts'
import { monoMs, wallMs } from '../../../src/ground/model/time.ts'
import { judge } from '../../../src/roll/decide/judge.ts'
import type { NodeReading, RollSnapshot, SlotReading } from '../../../src/roll/decide/snapshot.ts'
import type { ReloadSpan } from '../../../src/roll/model/reload-span.ts'
import type { Verdict } from '../../../src/roll/model/verdict.ts'
import { out } from '../../support/roll-stages.ts'
import { aRecord, aSnapshot, detachedEvidence, NEW_BOOT } from '../../support/roll-world.ts'

const aWindow = (change: Partial<FailureWindow> = {}): FailureWindow => ({
  target: 'shop',
  control: false,
  lane: 'new',
  sent: 10,
  failed: 4,
  failures: { connect: 4 },
  firstError: 'ECONNREFUSED',
  firstBadAt: wallMs(5000),
  lastBadAt: wallMs(5300),
  firstOkAt: wallMs(5310),
  ...change,
})

const facts = (windows: readonly FailureWindow[]): ProbeStatus => ({
  startedAt: wallMs(0),
  lastVerdictAt: wallMs(6000),
  lanes: [],
  windows,
  notMeasured: [],
  greenStreak: 0,
})

function measured(s: RollSnapshot, windows: readonly FailureWindow[]): RollSnapshot {
  return { ...s, run: { ...s.run, measuredSince: wallMs(1000) }, probe: facts(windows) }
}

const aReload = (change: Partial<ReloadSpan> = {}): ReloadSpan => ({
  balancer: 'edge',
  instance: 'lb-1',
  servers: ['web/n1'],
  nodes: ['n1'],
  from: wallMs(4800),
  seenAt: wallMs(5000),
  to: wallMs(5200),
  ...change,
})

test('a failed request stops the roll and lets the node be restored', () => {
  const verdict = judge(measured(aSnapshot(out), [aWindow()]))
  assert.deepEqual([verdict?.kind, verdict?.keepOut, verdict?.reasons[0]?.code], ['stopped', false, 'RequestsFailed'])
})

test('requests that all failed are not said as so many of so many', () => {
  const said = (sent: number, failed: number): string | undefined =>
    judge(measured(aSnapshot(out), [aWindow({ sent, failed, failures: { connect: failed } })]))?.reasons[0]?.text
  assert.deepEqual(
    [said(1, 1), said(3, 3), said(3, 1)],
    [
      '1 request to shop failed (new): ECONNREFUSED',
      'all 3 requests to shop failed (new): ECONNREFUSED',
      '1 of 3 requests to shop failed (new): ECONNREFUSED',
    ],
  )
})

test('a failed request while the node soaks keeps it out', () => {
  const soaking = aSnapshot({
    ...out,
    node: { bootId: NEW_BOOT },
    evidence: { attachedAt: monoMs(999_000), attachingSince: monoMs(998_000), attachingSinceWall: wallMs(4000) },
  })
  assert.deepEqual(judge(measured(soaking, [aWindow()]))?.keepOut, true)
})

test('a failed request from the moment a node is begun to be put back keeps it out', () => {
  const evidence = { attachingSince: monoMs(998_000), attachingSinceWall: wallMs(5200) }
  const attaching = aSnapshot({ ...out, node: { bootId: NEW_BOOT }, evidence })
  assert.equal(judge(measured(attaching, [aWindow()]))?.keepOut, true)
})

test('law: a node that is put back is not taken out for requests that failed because no process of its balancer was reached', () => {
  const evidence = { attachingSince: monoMs(998_000), attachingSinceWall: wallMs(4000) }
  const attaching = aSnapshot({ ...out, node: { bootId: NEW_BOOT }, evidence })
  const away = aReload({ servers: [], nodes: [], away: 'lb-1: no process listens there' })
  const { to: _, ...still } = away
  const keepsOut = (reload: ReloadSpan, lastBadAt = 5_200): boolean | undefined =>
    judge({ ...measured(attaching, [aWindow({ lastBadAt: wallMs(lastBadAt) })]), reloads: [reload] })?.keepOut
  assert.deepEqual([keepsOut(still, 60_000), keepsOut(away)], [false, false])
  assert.equal(keepsOut(away, 5_300), true, 'requests fail although the balancer is back')
  assert.equal(keepsOut(aReload()), true, 'a reload sends to the node')
  const answered = aWindow({ failures: { connect: 1, status: 2 } })
  assert.equal(
    judge({ ...measured(attaching, [answered]), reloads: [still] })?.keepOut,
    true,
    'something answered, so it was not for want of a balancer',
  )
})

test('a failure from before the reboot does not keep the node out once it is put back', () => {
  const evidence = { attachingSince: monoMs(998_000), attachingSinceWall: wallMs(9000) }
  const standing = { kind: 'stopped', keepOut: false, reasons: [{ code: 'RequestsFailed', text: 'x' }] } as const
  const attaching = measured(aSnapshot({ ...out, node: { bootId: NEW_BOOT }, evidence }), [aWindow()])
  assert.equal(judge({ ...attaching, run: { ...attaching.run, verdict: standing } })?.keepOut, false)
})

test('failures from before the baseline are not ours', () => {
  assert.equal(
    judge(measured(aSnapshot(out), [aWindow({ firstBadAt: wallMs(100), lastBadAt: wallMs(900) })])),
    undefined,
  )
})

test('a window of which a control excuses every request is the prober’s', () => {
  assert.equal(judge(measured(aSnapshot(out), [aWindow({ excused: 4 })])), undefined)
})

test('one request that no control excuses ends the roll, and the reason names both numbers', () => {
  const verdict = judge(measured(aSnapshot(out), [aWindow({ excused: 3 })]))
  assert.equal(verdict?.kind, 'stopped')
  assert.deepEqual(
    verdict?.reasons.map(({ text }) => text),
    [
      '1 of 10 requests to shop failed (new): ECONNREFUSED; 3 more failed while a control did not answer, and are not counted',
    ],
  )
})

test('a control that failed in the same moment excuses nothing by that alone', () => {
  const control = aWindow({ target: 'control', control: true })
  assert.equal(judge(measured(aSnapshot(out), [aWindow(), control]))?.kind, 'stopped')
})

test('where the machine refused the reboot, a corrected file helps', () => {
  const evidence = {
    ...detachedEvidence(),
    awaySince: monoMs(100_000),
    reboot: { at: monoMs(950_000), answer: { kind: 'refused', text: 'a password is required' } as const },
  }
  assert.equal(
    plainText(judge(aSnapshot({ ...out, announced: true, evidence }))?.reasons[0]?.next ?? ''),
    'allow the reboot of n1, or correct "reboot" in the file: evenkeel roll resume run-1 -f roll.yaml',
  )
})

test('a verdict sticks, and a later one that keeps the node out adds to it', () => {
  const before = aSnapshot({
    ...out,
    node: { bootId: NEW_BOOT },
    evidence: { ...detachedEvidence(), settlingSince: monoMs(100_000) },
  })
  const standing = { kind: 'stopped', keepOut: false, reasons: [{ code: 'RequestsFailed', text: 'x' }] } as const
  const verdict = judge({ ...before, run: { ...before.run, verdict: standing } })
  assert.deepEqual(
    [verdict?.keepOut, verdict?.reasons.map((reason) => reason.code).slice(0, 2)],
    [true, ['RequestsFailed', 'NotSettled']],
  )
})

test('a verdict sticks when what led to it is gone, and no lesser one takes its place', () => {
  const standing = { kind: 'stopped', keepOut: true, reasons: [{ code: 'NotSettled', text: 'x' }] } as const
  const calm = aSnapshot(out)
  assert.equal(judge({ ...calm, run: { ...calm.run, verdict: standing } }), standing)
  const failing = measured(calm, [aWindow()])
  assert.equal(judge(failing)?.keepOut, false)
  assert.equal(judge({ ...failing, run: { ...failing.run, verdict: standing } }), standing)
})

const FAILED = '4 of 10 requests to shop failed (new): ECONNREFUSED'
const RELOADED = `${FAILED}; lb-1 was reloaded at 00:00:05Z and had n1 in service again for at most 400 ms`

test('a request that failed in a reload by another program stops the roll like any other, and the reason says so', () => {
  const verdict = judge({ ...measured(aSnapshot(out), [aWindow()]), reloads: [aReload()] })
  assert.deepEqual(verdict, {
    kind: 'stopped',
    keepOut: false,
    reasons: [
      {
        code: 'RequestsFailed',
        object: 'shop',
        text: RELOADED,
        next: 'do not reload lb-1 while a roll is under way unless HAProxy keeps the states: "load-server-state-from-file global" in haproxy.cfg, and "show servers state" written to its server-state-file before each reload',
      },
    ],
  })
})

test('a reload at another time is not named', () => {
  const reloads = [aReload({ from: wallMs(2000), seenAt: wallMs(2200), to: wallMs(2400) })]
  const verdict = judge({ ...measured(aSnapshot(out), [aWindow()]), reloads })
  assert.deepEqual(verdict?.reasons, [{ code: 'RequestsFailed', object: 'shop', text: FAILED }])
})

test('a reload that is seen after the verdict is reported in its words, and the verdict stays what it was', () => {
  const standing = {
    kind: 'stopped',
    keepOut: false,
    reasons: [{ code: 'RequestsFailed', object: 'shop', text: '1 of 1 requests to shop failed (new): ECONNREFUSED' }],
  } as const
  const after = measured(aSnapshot(out), [aWindow()])
  const verdict = judge({ ...after, run: { ...after.run, verdict: standing }, reloads: [aReload()] })
  assert.deepEqual([verdict?.kind, verdict?.keepOut], ['stopped', false])
  assert.deepEqual(
    verdict?.reasons.map(({ text }) => text),
    [RELOADED],
  )
  assert.ok(verdict)
  assert.equal(judge({ ...after, run: { ...after.run, verdict }, reloads: [aReload()] }), verdict)
})

const TOLD: readonly (readonly [kind: Verdict['kind'], keepOut: boolean, expected: string])[] = [
  ['held', false, 'stopped BudgetExhausted RequestsFailed'],
  ['aborted', false, 'aborted BudgetExhausted RequestsFailed'],
  ['stopped', false, 'stopped BudgetExhausted RequestsFailed'],
  ['stopped', true, 'stopped BudgetExhausted'],
]

for (const [kind, keepOut, expected] of TOLD)
  test(`requests that fail after a roll has ${keepOut ? 'kept its node out' : `been ${kind}`} are told: ${expected}`, () => {
    const verdict = { kind, keepOut, reasons: [{ code: 'BudgetExhausted', text: 'x' }] } as const
    const after = measured(aSnapshot(out), [aWindow()])
    const found = judge({ ...after, run: { ...after.run, verdict } })
    assert.ok(found)
    assert.deepEqual([found.kind, ...found.reasons.map(({ code }) => code)].join(' '), expected)
    assert.equal(judge({ ...after, run: { ...after.run, verdict: found } }), found)
  })

test('a limit hides no failed request of the same pass', () => {
  const evidence = { ...detachedEvidence(), ...waited(600_000, 'BudgetExhausted') }
  const verdict = judge(measured(aSnapshot({ ...out, evidence }), [aWindow()]))
  const codes = verdict?.reasons.map(({ code }) => code)
  assert.deepEqual([verdict?.kind, verdict?.keepOut, codes], ['stopped', false, ['BudgetExhausted', 'RequestsFailed']])
})

test('a machine that does not come back stays out, also where requests fail at the same time', () => {
  const away = {
    ...detachedEvidence(),
    awaySince: monoMs(1),
    reboot: { at: monoMs(1), answer: { kind: 'sent' } },
  } as const
  const verdict = judge(measured(aSnapshot({ ...out, announced: true, evidence: away }), [aWindow()]))
  assert.deepEqual([verdict?.keepOut, verdict?.reasons[0]?.code], [true, 'NodeDidNotReturn'])
})

const waited = (ms: number, code: ReasonCode) => ({
  stuckSince: monoMs(1_000_000 - ms),
  stuckReasons: [{ code, text: 'x' }] as readonly Reason[],
})

test('a pod that is leaving is waited for up to the longer of both limits, and a refused eviction up to the limit for refusals', () => {
  const s = aSnapshot(out)
  const kindAfter = (ms: number, code: ReasonCode, drain: Partial<typeof s.spec.drain>) => {
    const evidence = { ...s.evidence, ...waited(ms, code) }
    return judge({ ...s, evidence, spec: { ...s.spec, drain: { ...s.spec.drain, ...drain } } })?.kind
  }
  const patient = { blockedLimitMs: 600_000, stageLimitMs: 300_000 }
  assert.equal(kindAfter(599_999, 'PodLeaving', patient), undefined)
  assert.equal(kindAfter(600_000, 'PodLeaving', patient), 'held')
  const quick = { blockedLimitMs: 100_000, stageLimitMs: 300_000 }
  assert.equal(kindAfter(299_999, 'PodLeaving', quick), undefined)
  assert.equal(kindAfter(100_000, 'BudgetExhausted', quick), 'held')
})

test('a node that cannot even be begun is held at the same limit', () => {
  const verdict = judge(aSnapshot({ evidence: waited(600_000, 'OtherNodeBad') }))
  assert.deepEqual([verdict?.kind, verdict?.reasons[0]?.code], ['held', 'OtherNodeBad'])
})

test('a node that is restored and does not settle stays out, whatever held it up before', () => {
  const verdict = { kind: 'held', keepOut: false, reasons: [{ code: 'BudgetExhausted', text: 'x' }] } as const
  const evidence = { ...waited(600_000, 'BudgetExhausted'), settlingSince: monoMs(1) }
  const s = aSnapshot({ record: aRecord(), evidence })
  const found = judge({ ...s, run: { ...s.run, verdict } })
  assert.deepEqual([found?.keepOut, found?.reasons.map(({ code }) => code)], [true, ['BudgetExhausted', 'NotSettled']])
})

test('a node in work that bears something else in the place of its record is given up as it is, once its slot cannot come any more', () => {
  const foreign = { ok: true, value: aRecord({ run: 'run-9' }) } as const
  const broken = { ok: false, why: 'it is not JSON' } as const
  const found = (inItsPlace: NodeReading['inItsPlace'], state: SlotReading['state']): unknown => {
    const s = aSnapshot({ ...out, change: { slot: { state, mayAct: state === 'mine' } } })
    const verdict = judge({ ...s, current: { ...s.current, ...present({ inItsPlace }) } })
    return verdict && [verdict.kind, verdict.keepOut, ...verdict.reasons.map(({ code }) => code)].join(' ')
  }
  for (const state of ['mine', 'lost'] as const) {
    assert.equal(found(foreign, state), 'stopped true RecordOfAnotherRun', state)
    assert.equal(found(broken, state), 'stopped true RecordUnreadable', state)
    assert.equal(found(undefined, state), undefined, state)
  }
  for (const state of ['free', 'other', 'stale'] as const) assert.equal(found(broken, state), undefined, state)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decide } from '../../../src/core/roll/decide.ts'
import { judge } from '../../../src/core/roll/judge.ts'
import { rememberDecision } from '../../../src/core/roll/remember-decision.ts'
import type { RollSnapshot } from '../../../src/core/roll/snapshot.ts'
import type { FailureWindow, ProbeFacts } from '../../../src/model/probe.ts'
import type { ReloadSpan } from '../../../src/model/reload-span.ts'
import { monoMs, wallMs } from '../../../src/model/time.ts'
import { aRecord, aSnapshot, detachedEvidence, drained, NEW_BOOT } from '../../support/roll-world.ts'

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

const facts = (windows: readonly FailureWindow[]): ProbeFacts => ({
  startedAt: wallMs(0),
  lastVerdictAt: wallMs(6000),
  lanes: [],
  windows,
  notMeasured: [],
  servedBy: {},
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

const out = { node: { unschedulable: true }, record: aRecord(), servers: drained(), evidence: detachedEvidence() }

test('a failed request stops the roll and lets the node be restored', () => {
  const verdict = judge(measured(aSnapshot(out), [aWindow()]))
  assert.deepEqual([verdict?.kind, verdict?.keepOut, verdict?.reasons[0]?.code], ['stopped', false, 'RequestsFailed'])
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

test('a failure from before the reboot does not keep the node out once it is put back', () => {
  const evidence = { attachingSince: monoMs(998_000), attachingSinceWall: wallMs(9000) }
  const standing = { kind: 'stopped', keepOut: false, reasons: [{ code: 'RequestsFailed', text: 'x' }] } as const
  const attaching = measured(aSnapshot({ ...out, node: { bootId: NEW_BOOT }, evidence }), [aWindow()])
  assert.equal(judge({ ...attaching, run: { ...attaching.run, verdict: standing } })?.keepOut, false)
})

test('nothing is given up while the API is lost, nor while sessions end within their own limit', () => {
  const lost = aSnapshot({ ...out, change: { cluster: { ...aSnapshot().cluster, staleForMs: 900_000 } } })
  const evidence = { ...lost.evidence, stuckSince: monoMs(1), stuckStep: 'slot', podsLeft: 0 } as const
  assert.equal(rememberDecision({ ...lost, evidence }, decide({ ...lost, evidence })).stuckReasons.length, 0)
})

test('failures from before the baseline are not ours', () => {
  assert.equal(
    judge(measured(aSnapshot(out), [aWindow({ firstBadAt: wallMs(100), lastBadAt: wallMs(900) })])),
    undefined,
  )
})

test('a window in which the control target failed too is the prober’s', () => {
  const control = aWindow({
    target: 'control',
    control: true,
    firstBadAt: wallMs(5100),
    lastBadAt: wallMs(5200),
    firstOkAt: wallMs(5220),
  })
  assert.equal(judge(measured(aSnapshot(out), [aWindow(), control])), undefined)
})

test('a control target that failed at another time excuses nothing', () => {
  const control = aWindow({
    target: 'control',
    control: true,
    firstBadAt: wallMs(2000),
    lastBadAt: wallMs(2100),
    firstOkAt: wallMs(2110),
  })
  assert.equal(judge(measured(aSnapshot(out), [aWindow(), control]))?.kind, 'stopped')
})

test('a drain that is blocked beyond its limit is held, with the reasons it was blocked by', () => {
  const reason = { code: 'BudgetExhausted', text: 'shop/cart-0, budget shop/cart needs 2 healthy, has 2 of 3' }
  const stuck = { ...detachedEvidence(), stuckSince: monoMs(399_000), stuckReasons: [reason] }
  const verdict = judge(aSnapshot({ ...out, evidence: stuck }))
  assert.deepEqual(verdict, { kind: 'held', keepOut: false, reasons: [reason] })
})

test('a drain that was blocked for less goes on', () => {
  const stuck = { ...detachedEvidence(), stuckSince: monoMs(401_000), stuckReasons: [] }
  assert.equal(judge(aSnapshot({ ...out, evidence: stuck })), undefined)
})

test('what does not change by itself is waited for as long, since somebody may change it', () => {
  const reason = { code: 'BudgetExhausted', text: 'budget shop/cart allows no eviction at all', never: true }
  const stuckFor = (ms: number) => ({
    ...detachedEvidence(),
    stuckSince: monoMs(1_000_000 - ms),
    stuckReasons: [reason],
  })
  assert.equal(judge(aSnapshot({ ...out, evidence: stuckFor(599_999) })), undefined)
  assert.equal(judge(aSnapshot({ ...out, evidence: stuckFor(600_000) }))?.kind, 'held')
})

test('a machine that does not come back within the limit stays out', () => {
  const gone = aSnapshot({ ...out, announced: true, evidence: { ...detachedEvidence(), awaySince: monoMs(100_000) } })
  const verdict = judge(gone)
  assert.deepEqual([verdict?.keepOut, verdict?.reasons[0]?.code], [true, 'NodeDidNotReturn'])
})

test('where the machine refused the reboot, a file that was mended helps', () => {
  const evidence = {
    ...detachedEvidence(),
    awaySince: monoMs(100_000),
    reboot: { at: monoMs(950_000), answer: { kind: 'refused', text: 'a password is required' } as const },
  }
  assert.equal(
    judge(aSnapshot({ ...out, announced: true, evidence }))?.reasons[0]?.next,
    'let n1 be rebooted, or mend "reboot" in the file: evenkeel roll resume run-1 -f roll.yaml',
  )
})

test('sending the reboot again does not begin the limit anew', () => {
  const evidence = {
    ...detachedEvidence(),
    awaySince: monoMs(100_000),
    reboot: { at: monoMs(950_000), answer: { kind: 'sent' } as const },
  }
  assert.equal(judge(aSnapshot({ ...out, announced: true, evidence }))?.reasons[0]?.code, 'NodeDidNotReturn')
})

test('a node that came back without proof stays out', () => {
  const evidence = {
    ...detachedEvidence(),
    returned: { bootId: NEW_BOOT, at: monoMs(50_000), heartbeat: '2026-01-01T00:00:00Z' },
  }
  const verdict = judge(aSnapshot({ ...out, node: { bootId: NEW_BOOT, unschedulable: true }, evidence }))
  assert.deepEqual([verdict?.keepOut, verdict?.reasons[0]?.code], [true, 'NotProven'])
})

test('a node that does not settle stays out', () => {
  const evidence = { ...detachedEvidence(), settlingSince: monoMs(100_000) }
  const verdict = judge(aSnapshot({ ...out, node: { bootId: NEW_BOOT }, evidence }))
  assert.deepEqual([verdict?.keepOut, verdict?.reasons[0]?.code], [true, 'NotSettled'])
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

const FAILED = '4 of 10 requests to shop failed (new): ECONNREFUSED'
const RELOADED = `${FAILED}; lb-1 was reloaded by somebody else at 00:00:05Z and had n1 in service again for at most 400 ms`

test('a request that failed in a reload by somebody else stops the roll like any other, and says so', () => {
  const verdict = judge({ ...measured(aSnapshot(out), [aWindow()]), reloads: [aReload()] })
  assert.deepEqual(verdict, {
    kind: 'stopped',
    keepOut: false,
    reasons: [
      {
        code: 'RequestsFailed',
        object: 'shop',
        text: RELOADED,
        next: 'do not reload lb-1 while a roll is under way, or let it keep what was set: "load-server-state-from-file global" in haproxy.cfg, and "show servers state" written to its server-state-file before each reload',
      },
    ],
  })
})

test('a reload at another time is not named', () => {
  const reloads = [aReload({ from: wallMs(2000), seenAt: wallMs(2200), to: wallMs(2400) })]
  const verdict = judge({ ...measured(aSnapshot(out), [aWindow()]), reloads })
  assert.deepEqual(verdict?.reasons, [{ code: 'RequestsFailed', object: 'shop', text: FAILED }])
})

test('a reload that is seen after the verdict is told in its words, and the verdict stays what it was', () => {
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

test('a failed request changes no word of a roll that was stopped for something else', () => {
  const standing = { kind: 'held', keepOut: false, reasons: [{ code: 'BudgetExhausted', text: 'x' }] } as const
  const after = measured(aSnapshot(out), [aWindow()])
  assert.equal(judge({ ...after, run: { ...after.run, verdict: standing } }), standing)
})

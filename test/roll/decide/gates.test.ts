import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ReasonCode } from '../../../src/ground/model/reason.ts'
import { type MonoMs, monoMs } from '../../../src/ground/model/time.ts'
import { decide } from '../../../src/roll/decide/decide.ts'
import type { GateReadings } from '../../../src/roll/decide/gates/gate-readings.ts'
import { gateLimitLeftMs, gatesWanted, gateVerdict } from '../../../src/roll/decide/gates/gates-held.ts'
import type { NodeSnapshot } from '../../../src/roll/decide/node-snapshot.ts'
import { rememberDecision } from '../../../src/roll/decide/remember-decision.ts'
import { settle } from '../../../src/roll/decide/steps/settle.ts'
import type { GateAnswer, GateMoment, GateSpec } from '../../../src/roll/model/gate-spec.ts'
import type { Step } from '../../../src/roll/model/step.ts'
import { aRecord, aSnapshot, aSpec, detachedEvidence, drained, NEW_BOOT } from '../../support/roll-world.ts'
import { shortDecision } from '../../support/short-decision.ts'

const GATE: GateSpec = {
  name: 'ceph',
  before: ['node', 'reboot', 'attach'],
  timesInARow: 2,
  intervalMs: 5_000,
  timeoutMs: 1_000,
  limitMs: 60_000,
  question: { kind: 'command', argv: ['true'] },
}

const NOW = 1_000_000
/** An answer counts for an interval with its jitter, its own time and two seconds. */
const COUNTS_FOR_MS = 5_000 * 1.25 + 1_000 + 2_000

type Said = readonly [kind: GateAnswer['kind'], agoMs: number]

const facts = (moment: GateMoment, ...said: readonly Said[]): GateReadings => ({
  about: { node: 'n1', moment },
  readings: {
    ceph: said.map(([kind, agoMs]) => ({
      kind,
      text: 'the value is 1',
      begunAt: monoMs(NOW - agoMs),
      endedAt: monoMs(NOW - agoMs),
    })),
  },
})

const spec = aSpec({ gates: [GATE] })

const before = (gates?: GateReadings): NodeSnapshot => aSnapshot({ change: { spec, ...(gates && { gates }) } })

/** The gate does not pass, and the slot was given back for that. */
const withoutSlot = (gates?: GateReadings): NodeSnapshot => ({
  ...before(gates),
  slot: { state: 'free', mayAct: false },
})

const atReboot = (gates?: GateReadings): NodeSnapshot =>
  aSnapshot({
    node: { unschedulable: true, taints: [{ key: 'evenkeel.dev/out', effect: 'NoSchedule' }] },
    record: aRecord(),
    servers: drained(),
    evidence: { ...detachedEvidence(), firstSeen: [] },
    change: { spec, ...(gates && { gates }) },
  })

const settled = (gates?: GateReadings, bootId = NEW_BOOT): NodeSnapshot => {
  const s = aSnapshot({
    node: { bootId },
    record: aRecord(),
    servers: drained(),
    evidence: { settledInARow: 3, settlingSince: monoMs(NOW - 10_000) },
    change: { spec, ...(gates && { gates }) },
  })
  return { ...s, current: { ...s.current, dataPorts: { '10.0.0.1:30080': true } } }
}

test('a gate holds before a node, a reboot and an attach until it has passed often enough in a row', () => {
  const passed: readonly Said[] = [
    ['passes', 6_000],
    ['passes', 500],
  ]
  const rows = [
    ['node', before, 'record', 'act record: writeRecord', 'act slot: releaseSlot'],
    ['node', withoutSlot, 'slot', 'act slot: takeSlot', 'hold slot: Gate'],
    ['reboot', atReboot, 'reboot', 'act reboot: writeIntent', 'hold reboot: Gate'],
  ] as const
  for (const [moment, at, step, goesOn, fails] of rows) {
    assert.equal(shortDecision(decide(at())), `hold ${step}: GateAsked`)
    assert.equal(shortDecision(decide(at(facts(moment)))), `hold ${step}: GateAsked`)
    assert.equal(shortDecision(decide(at(facts(moment, ['passes', 500])))), `hold ${step}: GateAsked`)
    assert.equal(
      shortDecision(decide(at(facts(moment, ['passes', 500], ['fails', 100])))),
      fails.replace(/Gate$/, 'GateFails'),
    )
    assert.equal(shortDecision(decide(at(facts(moment, ['unknown', 100])))), fails.replace(/Gate$/, 'GateUnknown'))
    assert.equal(shortDecision(decide(at(facts(moment, ...passed)))), goesOn)
  }
  assert.equal(shortDecision2(settle.next(recorded(settled(facts('attach', ['passes', 500]))))), 'hold GateAsked')
  assert.equal(shortDecision2(settle.next(recorded(settled(facts('attach', ...passed))))), 'done')
})

test('law: a gate passes by the newest answers alone, given in a row, for this node and this moment; what is old, of another moment or with a gap does not count', () => {
  const code = (gates: GateReadings): string => shortDecision(decide(before(gates)))
  const old = COUNTS_FOR_MS + 1
  assert.equal(code(facts('node', ['passes', old + 500], ['passes', old])), 'hold record: GateAsked')
  assert.equal(
    code(facts('node', ['passes', COUNTS_FOR_MS + 500], ['passes', COUNTS_FOR_MS])),
    'act record: writeRecord',
  )
  assert.equal(code(facts('node', ['passes', old + 100], ['passes', 99])), 'hold record: GateAsked')
  assert.equal(code(facts('reboot', ['passes', 600], ['passes', 100])), 'hold record: GateAsked')
  const other = facts('node', ['passes', 600], ['passes', 100])
  assert.equal(code({ ...other, about: { node: 'n2', moment: 'node' } }), 'hold record: GateAsked')
})

test('a node that goes back without a reboot is held back by no gate', () => {
  const s = settled(undefined, aRecord().bootId)
  const verdict = { kind: 'held', keepOut: false, reasons: [] } as const
  assert.equal(shortDecision2(settle.next(recorded({ ...s, run: { ...s.run, verdict } }))), 'done')
})

test('gates are wanted only while a decision waits for them, for the step to come', () => {
  const wanted = (s: NodeSnapshot) => gatesWanted(s, decide(s))
  assert.deepEqual(wanted(before()), { scope: 'nodes', node: 'n1', address: '10.0.0.1', moment: 'node' })
  assert.deepEqual(wanted(atReboot()), { scope: 'nodes', node: 'n1', address: '10.0.0.1', moment: 'reboot' })
  assert.equal(wanted(before(facts('node', ['passes', 600], ['passes', 100]))), undefined)
  assert.equal(wanted(aSnapshot({ change: { spec, cluster: { ...before().cluster, staleForMs: 1 } } })), undefined)
  assert.equal(wanted(aSnapshot()), undefined)
})

/** The verdict of a snapshot in which the gate has held for so long. */
function heldFor(s: NodeSnapshot, ms: number) {
  const decision = decide(s)
  const first = rememberDecision({ ...s, now: monoMs(NOW - ms) }, decision)
  return gateVerdict({ ...s, evidence: rememberDecision({ ...s, evidence: first }, decision) })
}

test('a gate that has held for its limit restores a node before the intent, and keeps a rebooted one out', () => {
  const failing = facts('node', ['fails', 100])
  assert.equal(heldFor(withoutSlot(failing), 59_999), undefined)
  assert.deepEqual(heldFor(withoutSlot(failing), 60_000), {
    kind: 'held',
    keepOut: false,
    reasons: [
      { code: 'GateLimit', object: 'ceph', text: 'gate ceph did not pass within its limit (1 min): the value is 1' },
    ],
  })
  const atAttach = settled(facts('attach', ['unknown', 100]))
  const held = { ...atAttach, evidence: { ...atAttach.evidence, gatesHeld: { 'attach ceph': monoMs(NOW - 60_000) } } }
  assert.deepEqual([gateVerdict(held)?.kind, gateVerdict(held)?.keepOut], ['stopped', true])
  const stopped = { kind: 'stopped', keepOut: false, reasons: [{ code: 'RequestsFailed', text: 'x' }] } as const
  const worse = gateVerdict({ ...held, run: { ...held.run, verdict: stopped } })
  assert.deepEqual(
    worse?.reasons.map(({ code }) => code),
    ['RequestsFailed', 'GateLimit'],
  )
  assert.equal(gateVerdict({ ...held, run: { ...held.run, verdict: { ...stopped, keepOut: true } } }), undefined)
})

test('the limit of a gate stands still in a wait by law, not in another hold', () => {
  const s = withoutSlot(facts('node', ['fails', 100]))
  const held = rememberDecision({ ...s, now: monoMs(NOW - 50_000) }, decide(s))
  const hold = (code: 'ApiUnreachable' | 'NodeNotReady') =>
    rememberDecision(
      { ...s, evidence: held },
      { kind: 'hold', step: 'record', reasons: [{ code, text: 'x' }], recheckAfterMs: 500 },
    ).gatesHeld
  assert.deepEqual(hold('ApiUnreachable'), { 'node ceph': NOW })
  assert.deepEqual(hold('NodeNotReady'), { 'node ceph': NOW - 50_000 })
  assert.equal(gateLimitLeftMs({ ...s, evidence: held }, decide(s)), 10_000)
})

test('a gate that passed before its limit is not over its limit while a hook runs, or in a later step', () => {
  const s = before(facts('node', ['passes', 5_100], ['passes', 100]))
  const held = { ...s.evidence, gatesHeld: { 'node ceph': monoMs(NOW - 60_000) } }
  const after = (step: Step, code: ReasonCode) => {
    const reasons = [{ code, text: 'x' }]
    const evidence = rememberDecision({ ...s, evidence: held }, { kind: 'hold', step, reasons, recheckAfterMs: 500 })
    return gateVerdict({ ...s, evidence })?.reasons[0]?.code
  }
  assert.deepEqual(
    [after('cordon', 'HookRuns'), after('detach', 'SessionsLeft'), after('cordon', 'NodeNotReady')],
    [undefined, undefined, 'GateLimit'],
  )
})

test('what gates take at the step settle is no time of its own limit', () => {
  const since = (ms: number): MonoMs => monoMs(NOW - ms)
  const s = recorded(settled(facts('attach', ['fails', 100])))
  const evidence = { ...s.evidence, settlingSince: since(600_000), gateWait: { ms: 100_000 } }
  assert.equal(settle.limit?.({ ...s, evidence }), undefined)
  assert.equal(settle.limit?.({ ...s, evidence: { ...evidence, gateWait: { ms: 0 } } })?.keepOut, true)
  const hold = { kind: 'hold', step: 'settle', reasons: [{ code: 'GateFails', text: 'x' }], recheckAfterMs: 1 } as const
  const once = rememberDecision({ ...s, now: since(3_000) }, hold)
  const twice = rememberDecision({ ...s, evidence: once }, hold)
  assert.deepEqual(twice.gateWait, { ms: 3_000, at: NOW })
  const other = { ...hold, reasons: [{ code: 'SettledOnce', text: 'x' }] } as const
  assert.deepEqual(rememberDecision({ ...s, now: monoMs(NOW + 500), evidence: twice }, other).gateWait, { ms: 3_500 })
})

const recorded = (s: NodeSnapshot) => ({ ...s, record: aRecord() })

const shortDecision2 = (answer: ReturnType<typeof settle.next>): string =>
  answer.kind === 'hold' ? `hold ${answer.reasons.map(({ code }) => code).join(' ')}` : answer.kind

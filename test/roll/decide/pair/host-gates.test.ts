import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gateVerdict } from '../../../../src/roll/decide/gates/gates-held.ts'
import { judge } from '../../../../src/roll/decide/judge.ts'
import { decideMachine } from '../../../../src/roll/decide/pair/decide-machine.ts'
import type { MachineSnapshot } from '../../../../src/roll/decide/pair/machine-snapshot.ts'
import { observeMachine, rememberMachineDecision } from '../../../../src/roll/decide/pair/observe-machine.ts'
import type { GateAnswer, GateMoment, GateSpec } from '../../../../src/roll/model/gate-spec.ts'
import { AFTER, aHost, at, away, began, type Given, moved, proven, said, verdictOf } from '../../../support/a-host.ts'
import { aGate } from '../../../support/gate-and-hook-world.ts'
import { SILENCE } from '../../../support/memory-alertmanager.ts'
import { twoHosts } from '../../../support/memory-pair.ts'
import { aSpec } from '../../../support/roll-world.ts'

const GATE: GateSpec = aGate({ appliesTo: ['hosts'], before: ['node', 'reboot', 'attach'], timesInARow: 1 })
const gated = (
  moment: GateMoment | undefined,
  kind: GateAnswer['kind'] = 'passes',
  agoMs = 500,
): Partial<MachineSnapshot> => ({
  spec: aSpec({ hosts: twoHosts(), gates: [GATE] }),
  ...(moment === undefined
    ? {}
    : {
        gates: {
          about: { node: 'lb-1', moment },
          readings: { ceph: [{ kind, text: 'x', begunAt: at(agoMs), endedAt: at(agoMs) }] },
        },
      }),
})
const unslotted = { slot: { state: 'free', mayAct: false } } as const
const TAKEN = { code: 'SlotTaken', text: 'run run-2 has the slot' } as const
const atReboot: Given = { on: ['lb-2'], memory: away, evidence: moved }
const settled: Given = { on: ['lb-2'], bootId: AFTER, memory: proven, evidence: { provenSince: at(1000) } }

const unsilenced: Partial<MachineSnapshot> = {
  ...gated('node', 'passes', 60_000),
  spec: aSpec({
    hosts: twoHosts(),
    gates: [GATE],
    silences: [{ ...SILENCE, appliesTo: ['hosts'], onFailure: 'hold' }],
  }),
  silences: { node: 'lb-1', states: { am: { kind: 'failed', text: 'it answered 503' } } },
}

const GATE_ROWS: readonly (readonly [what: string, given: Given, said: string])[] = [
  ['a gate that was not asked', { change: gated(undefined) }, 'record? GateAsked'],
  ['a gate that fails: other owners may have the slot', { change: gated('node', 'fails') }, 'slot: releaseSlot'],
  ['a gate that cannot be asked', { change: gated('node', 'unknown') }, 'slot: releaseSlot'],
  ['no slot, and a gate that fails', { change: { ...gated('node', 'fails'), ...unslotted } }, 'slot? GateFails'],
  ['no slot, and a gate that was not asked', { change: { ...gated(undefined), ...unslotted } }, 'slot? GateAsked'],
  ['no slot, and a gate that passes', { change: { ...gated('node'), ...unslotted } }, 'slot: takeSlot'],
  [
    'no slot, which another owner has, and a gate that was not asked',
    { change: { ...gated(undefined), ...unslotted }, evidence: { slotRefused: { at: at(5000), reason: TAKEN } } },
    'slot: takeSlot',
  ],
  ['a gate that passes', { change: gated('node') }, 'record: record'],
  ['an answer that is old', { change: gated('node', 'passes', 60_000) }, 'record? GateAsked'],
  ['an answer for another moment', { change: gated('reboot') }, 'record? GateAsked'],
  ['a gate of nodes alone', { change: { spec: aSpec({ hosts: twoHosts(), gates: [aGate()] }) } }, 'record: record'],
  ['recorded, a gate that fails', { memory: began, change: gated('node', 'fails') }, 'detach? GateFails'],
  ['recorded, a gate that passes', { memory: began, change: gated('node') }, 'detach: moveAway'],
  [
    'recorded, a silence that failed, and an answer that is old',
    { memory: began, change: unsilenced },
    'detach? SilenceFailed',
  ],
  ['away, a gate that fails', { ...atReboot, change: gated('reboot', 'fails') }, 'reboot? GateFails'],
  ['away, a gate that passes', { ...atReboot, change: gated('reboot') }, 'reboot: reboot'],
  ['as before, a gate that fails', { ...settled, change: gated('attach', 'fails') }, 'settle? GateFails'],
  ['as before, a gate that passes', { ...settled, change: gated('attach') }, 'attach: moveBack'],
  [
    'not as before, and a gate that fails',
    { ...settled, silent: ['lb-1'], change: gated('attach', 'fails') },
    'settle? InstanceSilent',
  ],
]

for (const [what, given, expected] of GATE_ROWS) {
  test(`the next thing for a machine with a gate, ${what}: ${expected}`, () => {
    assert.equal(said(aHost(given)), expected)
  })
}

/** The verdict once a gate has held the machine for so long. */
function heldFor(given: Given, ms: number): string {
  const s = aHost(given)
  const decision = decideMachine(s)
  const first = rememberMachineDecision({ ...s, now: at(ms) }, decision)
  const verdict = gateVerdict({ ...s, evidence: rememberMachineDecision({ ...s, evidence: first }, decision) })
  return verdict === undefined ? 'none' : `${verdict.kind}${verdict.keepOut ? ' keepOut' : ''}`
}

test('a gate at its limit restores a machine whose reboot is not announced, and keeps a rebooted one without its addresses', () => {
  const before = { change: { ...gated('node', 'fails'), ...unslotted } }
  assert.deepEqual([heldFor(before, 59_999), heldFor(before, 60_000)], ['none', 'held'])
  assert.equal(heldFor({ ...atReboot, change: gated('reboot', 'unknown') }, 60_000), 'held')
  assert.equal(heldFor({ ...settled, change: gated('attach', 'fails') }, 60_000), 'stopped keepOut')
})

test('the limit of a gate that passed is over once the addresses are away, and else goes on, but for a wait by law', () => {
  const gatesHeld = { 'node ceph': at(50_000) }
  const left = (given: Given) => {
    const s = aHost({ ...given, evidence: { ...given.evidence, gatesHeld, passedAt: at(1000) } })
    return rememberMachineDecision(s, decideMachine(s)).gatesHeld
  }
  assert.equal(left({ memory: away, evidence: moved, change: gated('node') }), undefined)
  assert.deepEqual(left({ memory: began, on: [], change: gated('node') }), gatesHeld)
  assert.deepEqual(left({ memory: began, change: { ...gated('node'), clusterUnknown: true } }), {
    'node ceph': at(49_000),
  })
  const window = { zone: 'UTC', open: [], not: [], onClose: 'restore' } as const
  const spec = aSpec({ hosts: twoHosts(), gates: [GATE], window })
  assert.equal(left({ change: { ...gated('node'), spec } }), undefined, 'no window is open')
})

test('what a gate takes is no time of settle, and a machine that did not answer for a moment has its time for the move anew', () => {
  const change = gated('attach', 'fails')
  const late: Given = { ...settled, evidence: { provenSince: at(900_000) }, change }
  assert.match(verdictOf(late), /HostNotSettled/)
  assert.equal(verdictOf({ ...late, evidence: { ...late.evidence, gateWait: { ms: 890_000 } } }), 'none')
  const seen = { ...moved, movingSince: at(400_000), awaySince: at(399_000) }
  const s = aHost({ ...atReboot, silent: ['lb-1'], evidence: seen })
  assert.equal(judge({ ...s, evidence: observeMachine(s) }), undefined)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ReasonCode } from '../../../../src/ground/model/reason.ts'
import { wallMs } from '../../../../src/ground/model/time.ts'
import type { WaitClass } from '../../../../src/roll/decide/evidence.ts'
import { judge } from '../../../../src/roll/decide/judge.ts'
import type { MachineSnapshot } from '../../../../src/roll/decide/pair/machine-snapshot.ts'
import { rememberMachineDecision } from '../../../../src/roll/decide/pair/observe-machine.ts'
import type { TimeWindowSpec, TimeWindowState } from '../../../../src/roll/model/time-window.ts'
import { AFTER, aHost, announced, at, away, began, type Given, moved, NOW, said } from '../../../support/a-host.ts'
import { twoHosts } from '../../../support/memory-pair.ts'
import { aSpec } from '../../../support/roll-world.ts'

const HOUR_MS = 3_600_000
const CLOSED: TimeWindowState = { now: wallMs(NOW), longestMs: HOUR_MS }
const outside = (onClose: TimeWindowSpec['onClose'], window = CLOSED): Partial<MachineSnapshot> => ({
  spec: aSpec({ hosts: twoHosts(), window: { zone: 'UTC', open: [], not: [], onClose } }),
  window,
})
const gone: Given = { on: ['lb-2'], memory: away, evidence: moved }
const unsent: Given = { on: ['lb-2'], memory: announced, evidence: { ...moved, rebootSince: at(400_000) } }

/** What is decided once the window has closed, with the verdict that this leads to. */
function decided(given: Given, onClose: TimeWindowSpec['onClose']): string {
  const s = aHost({ ...given, change: outside(onClose) })
  const verdict = judge(s)
  const found = verdict === undefined ? 'none' : `${verdict.reasons[0]?.code} ${verdict.ofNode}`
  return `${found}; ${said({ ...s, run: { ...s.run, ...(verdict === undefined ? {} : { verdict }) } })}`
}

const PUT_BACK = 'WindowClosedMeanwhile true'
const ROWS: readonly (readonly [string, Given, restore: string, finish: string])[] = [
  ['not begun', {}, 'none; slot: releaseSlot', 'none; slot: releaseSlot'],
  ['recorded', { memory: began }, `${PUT_BACK}; restored`, `${PUT_BACK}; restored`],
  ['without its addresses', gone, `${PUT_BACK}; attach: moveBack`, 'none; reboot: reboot'],
  ['announced, and the command unheard', unsent, 'none; reboot: reboot', 'none; reboot: reboot'],
  ['with another boot id', { ...gone, bootId: AFTER }, 'none; proof: proven', 'none; proof: proven'],
]

for (const [what, given, restore, finish] of ROWS)
  test(`law: outside of a time window nothing disrupts a machine before the announcement of its reboot, unless the roll file has it finished; ${what}`, () => {
    assert.deepEqual([decided(given, 'restore'), decided(given, 'finish')], [restore, finish])
  })

test('a window that closes between the verdict and the reboot holds the machine that is to be restored', () => {
  assert.equal(said(aHost({ ...gone, change: outside('restore') })), 'detach? WindowClosed')
})

test('each window is waited for anew, and the time of everything else stands still meanwhile', () => {
  const since = (stuckFor: WaitClass, code: ReasonCode, blocked?: number): unknown => {
    const waitedMs = blocked === undefined ? {} : { blocked }
    const s = aHost({ evidence: { stuckStep: 'record', stuckSince: at(HOUR_MS), stuckFor, waitedMs } })
    const hold = { kind: 'hold', step: 'record', recheckAfterMs: 500, reasons: [{ code, text: 'x' }] } as const
    return rememberMachineDecision(s, hold).stuckSince
  }
  assert.equal(since('window', 'WindowClosed'), at(HOUR_MS))
  assert.equal(since('window', 'PairDisagrees'), NOW)
  assert.equal(since('window', 'PairDisagrees', 7), at(7))
  assert.equal(since('blocked', 'WindowClosed', 7), NOW)
})

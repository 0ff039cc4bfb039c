import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { HookState } from '../../../../src/roll/decide/hooks/hook-states.ts'
import { hookVerdict } from '../../../../src/roll/decide/hooks/hook-verdict.ts'
import { judge } from '../../../../src/roll/decide/judge.ts'
import { decideMachine } from '../../../../src/roll/decide/pair/decide-machine.ts'
import type { MachineSnapshot } from '../../../../src/roll/decide/pair/machine-snapshot.ts'
import { observeMachine, rememberMachineDecision } from '../../../../src/roll/decide/pair/observe-machine.ts'
import type { HookMoment, StepHook } from '../../../../src/roll/model/step-hook.ts'
import {
  AFTER,
  aHost,
  at,
  away,
  back,
  began,
  drained,
  type Given,
  moved,
  proven,
  RECORD,
  said,
} from '../../../support/a-host.ts'
import { aHook } from '../../../support/gate-and-hook-world.ts'
import { twoHosts } from '../../../support/memory-pair.ts'
import { aSpec } from '../../../support/roll-world.ts'

type States = Readonly<Record<string, HookState>>

const hooked = (moment: HookMoment, states: States = {}, change: Partial<StepHook> = {}): Partial<MachineSnapshot> => ({
  spec: aSpec({ hosts: twoHosts(), hooks: [aHook({ appliesTo: ['hosts'], at: moment, ...change })] }),
  hooks: { states, isLost: false },
})
const onFullDisk = (...of: Parameters<typeof hooked>): Partial<MachineSnapshot> => ({
  ...hooked(...of),
  journalWritable: false,
})
const run = (state: HookState): States => ({ 'lb-1 run noout': state })
const failed: HookState = { kind: 'failed', text: 'exit code 1', failures: 1, since: at(100), nextAt: at(-100) }
const DONE = run({ kind: 'done' })

const atReboot: Given = { on: ['lb-2'], memory: away, evidence: moved }
const atSettle: Given = { on: ['lb-2'], bootId: AFTER, memory: proven, evidence: { provenSince: at(1000) } }
const inService: Given = {
  bootId: AFTER,
  memory: { record: RECORD, isProven: true, intent: true },
  evidence: { ...back, attachedAt: at(900_000), attachDueSince: at(900_000) },
}
const stopped = { kind: 'stopped', keepOut: false, reasons: [{ code: 'RequestsFailed', text: 'x' }] } as const
const restoring: Partial<MachineSnapshot> = { run: { id: 'run-1', order: [], done: [], verdict: stopped } }

const ROWS: readonly (readonly [what: string, given: Given, said: string])[] = [
  ['recorded', { memory: began, change: hooked('beforeNode') }, 'detach: runHook'],
  ['recorded, it runs', { memory: began, change: hooked('beforeNode', run({ kind: 'running' })) }, 'detach? HookRuns'],
  [
    'recorded, it was begun',
    { memory: began, change: hooked('beforeNode', run({ kind: 'begun' })) },
    'detach: runHook',
  ],
  ['recorded, it has failed', { memory: began, change: hooked('beforeNode', run(failed)) }, 'detach? HookFailed'],
  [
    'recorded, it may fail',
    { memory: began, change: hooked('beforeNode', run(failed), { onFailure: 'ignore' }) },
    'detach: moveAway',
  ],
  ['recorded, it is done', { memory: began, change: hooked('beforeNode', DONE) }, 'detach: moveAway'],
  [
    'recorded, it is for nodes',
    { memory: began, change: hooked('beforeNode', {}, { appliesTo: ['nodes'] }) },
    'detach: moveAway',
  ],
  ['away', { ...atReboot, change: hooked('beforeReboot') }, 'reboot: runHook'],
  ['away, it has failed', { ...atReboot, change: hooked('beforeReboot', run(failed)) }, 'reboot? HookFailed'],
  ['away, it is done', { ...atReboot, change: hooked('beforeReboot', DONE) }, 'reboot: reboot'],
  ['proven', { ...atSettle, silent: ['lb-1'], change: hooked('afterReboot') }, 'settle: runHook'],
  ['proven, it has failed', { ...atSettle, change: hooked('afterReboot', run(failed)) }, 'attach: moveBack'],
  ['proven, on a full disk', { ...atSettle, change: onFullDisk('afterReboot') }, 'settle? JournalNotWritable'],
  [
    'proven without the drain of its twin, on a full disk',
    { ...atSettle, lb2: drained, change: onFullDisk('afterReboot') },
    'settle: restoreServer',
  ],
  ['as before, on a full disk', { ...atSettle, change: onFullDisk('beforeAttach') }, 'settle? JournalNotWritable'],
  ['back, to undo on a full disk', { ...inService, change: onFullDisk('beforeReboot', DONE) }, 'soak: undoHook'],
  ['as before', { ...atSettle, change: hooked('beforeAttach') }, 'settle: runHook'],
  ['not as before', { ...atSettle, silent: ['lb-1'], change: hooked('beforeAttach') }, 'settle? InstanceSilent'],
  ['back, to undo', { ...inService, change: hooked('beforeReboot', DONE) }, 'soak: undoHook'],
  [
    'rebooted by itself before it gave its addresses away',
    { ...atSettle, on: ['lb-1'], memory: { record: RECORD, isProven: true }, change: hooked('afterReboot') },
    'settle: runHook',
  ],
  ['rebooted by itself, as before', { ...atSettle, memory: { record: RECORD, isProven: true } }, 'attach: moveBack'],
  [
    'back, to undo though the file has it for nodes now',
    { ...inService, change: hooked('beforeReboot', DONE, { appliesTo: ['nodes'] }) },
    'soak: undoHook',
  ],
  ['back', { ...inService, change: hooked('afterNode', {}, { name: 'late' }) }, 'soak: runHook'],
  [
    'back, all is done',
    { ...inService, change: hooked('beforeReboot', { ...DONE, 'lb-1 undo noout': { kind: 'done' } }) },
    'through',
  ],
  [
    'stopped before it gave its addresses away',
    { memory: began, change: { ...restoring, ...hooked('beforeNode', DONE) } },
    'attach: undoHook',
  ],
  [
    'stopped while it runs: it is not undone beside itself',
    { memory: began, change: { ...restoring, ...hooked('beforeNode', run({ kind: 'running' })) } },
    'attach? HookRuns',
  ],
  ['stopped, nothing was begun', { memory: began, change: { ...restoring, ...hooked('beforeNode') } }, 'restored'],
  [
    'stopped, its addresses are back',
    {
      memory: { record: RECORD, wasAway: true },
      evidence: { moved: { to: 'back', at: at(1) } },
      change: { ...restoring, ...hooked('beforeReboot', DONE) },
    },
    'attach: undoHook',
  ],
]

for (const [what, given, expected] of ROWS) {
  test(`the next thing for a machine with a hook, ${what}: ${expected}`, () => {
    assert.equal(said(aHost(given)), expected)
  })
}

test('a hook of a machine that has failed for good stops the roll, and one that may fail does not', () => {
  const of = (given: Given) => hookVerdict(aHost(given))
  const verdict = of({ ...atReboot, change: hooked('beforeReboot', run(failed)) })
  assert.deepEqual([verdict?.kind, verdict?.keepOut], ['stopped', false])
  assert.equal(verdict?.reasons[0]?.text, 'hook noout failed for lb-1: exit code 1')
  assert.equal(of({ ...atReboot, change: hooked('beforeReboot', run(failed), { onFailure: 'ignore' }) }), undefined)
  assert.equal(of({ change: hooked('beforeReboot', run(failed)) }), undefined)
  const undo = of({
    ...inService,
    change: hooked(
      'beforeReboot',
      { ...DONE, 'lb-1 undo noout': { ...failed, failures: 3 } },
      { undo: ['unset', '{node}', '{address}'] },
    ),
  })
  assert.equal(undo?.reasons[0]?.next, 'unset lb-1 lb-1')
})

test('once hooks are all that is left for a machine, the limit of attach is over', () => {
  const s = aHost({ ...inService, on: [], change: hooked('beforeReboot', DONE) })
  assert.equal(judge(s)?.kind, 'stopped')
  const due = aHost({ ...inService, change: hooked('beforeReboot', DONE) })
  const evidence = rememberMachineDecision({ ...due, evidence: observeMachine(due) }, decideMachine(due))
  assert.equal(judge({ ...s, evidence }), undefined)
  assert.equal(said({ ...s, evidence }), 'soak: undoHook')
})

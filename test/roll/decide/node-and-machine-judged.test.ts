import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ReasonCode } from '../../../src/ground/model/reason.ts'
import { wallMs } from '../../../src/ground/model/time.ts'
import type { Stuck } from '../../../src/roll/decide/evidence.ts'
import { judge } from '../../../src/roll/decide/judge.ts'
import type { NodeSnapshot } from '../../../src/roll/decide/node-snapshot.ts'
import { observe } from '../../../src/roll/decide/observe.ts'
import type { MachineSnapshot } from '../../../src/roll/decide/pair/machine-snapshot.ts'
import { observeMachine, rememberMachineDecision } from '../../../src/roll/decide/pair/observe-machine.ts'
import { rememberDecision } from '../../../src/roll/decide/remember-decision.ts'
import type { StepDecision } from '../../../src/roll/decide/step-rule.ts'
import { at, NOW } from '../../support/a-host.ts'
import {
  allowed,
  type Change,
  CONTROL,
  closed,
  failed,
  machineWith,
  nodeWith,
  PROBE,
  probed,
  red,
  type Stage,
  unsure,
  wall,
} from '../../support/node-and-machine.ts'

const verdictOf = (s: NodeSnapshot | MachineSnapshot): string => {
  const verdict = judge(s)
  if (verdict === undefined) return 'none'
  const { kind, keepOut, ofNode, reasons } = verdict
  return [
    kind,
    ...(keepOut ? ['keepOut'] : []),
    ...(ofNode === true ? ['ofNode'] : []),
    ...reasons.map(({ code }) => code),
  ].join(' ')
}

const judged = probed({ windows: [failed({ firstOkAt: wall })] })
const waitedMs = (code: ReasonCode, ms: number): Change => ({
  waited: { stuckSince: at(ms), stuckReasons: [{ code, text: 'x' }] },
})
const tooMany: Change = { ...allowed({ failed: 10, sent: 10 }) }
const down: Change = {
  ...judged,
  spec: { probe: PROBE, stop: { latency: [], downtime: [{ target: 'shop', downtimeMs: 500 }] } },
}
const SHOP = { ...CONTROL, name: 'shop', control: false }
const slow: Change = {
  ...probed({
    settledBefore: wall,
    slow: [{ target: 'shop', slowerThanMs: 100, seconds: [{ at: wallMs(NOW - 5000), slow: 50, good: 50 }] }],
  }),
  spec: {
    probe: { ...PROBE, targets: [SHOP] },
    stop: { downtime: [], latency: [{ target: 'shop', slowerThanMs: 100, share: 0.1, overMs: 10_000 }] },
  },
}
const MIN_MS = 60_000
const over = { kind: 'stopped', keepOut: false, reasons: [{ code: 'RequestsFailed', text: 'x' }] } as const

type StopRow = readonly [rule: string, stage: Stage, change: Change, node: string, machine: string]

/** With the default limits: 10 min for what blocks, 30 min for what takes its course, 2 min for a baseline. */
const STOPS: readonly StopRow[] = [
  ['nothing is wrong', 'leave', {}, 'none', 'none'],
  ['a request failed', 'begin', judged, 'stopped RequestsFailed', 'stopped RequestsFailed'],
  ['a request failed', 'announce', judged, 'stopped RequestsFailed', 'stopped RequestsFailed'],
  [
    'a request failed since it is back',
    'soak',
    judged,
    'stopped keepOut RequestsFailed',
    'stopped keepOut RequestsFailed',
  ],
  ['a failure that a control may excuse', 'announce', unsure, 'none', 'none'],
  [
    'more failed than the file allows',
    'announce',
    tooMany,
    'stopped TooManyFailed RequestsFailed',
    'stopped TooManyFailed RequestsFailed',
  ],
  [
    'more failed since it is back',
    'soak',
    tooMany,
    'stopped keepOut TooManyFailed RequestsFailed',
    'stopped keepOut TooManyFailed RequestsFailed',
  ],
  ['as many as the file allows', 'announce', allowed({}), 'none', 'none'],
  [
    'an error budget is used up',
    'announce',
    down,
    'stopped ErrorBudgetUsedUp RequestsFailed',
    'stopped ErrorBudgetUsedUp RequestsFailed',
  ],
  ['requests are too slow', 'announce', slow, 'stopped TooSlow', 'stopped TooSlow'],
  ['the window closed', 'leave', closed, 'held ofNode WindowClosedMeanwhile', 'held ofNode WindowClosedMeanwhile'],
  ['the window closed', 'announce', closed, 'held ofNode WindowClosedMeanwhile', 'held ofNode WindowClosedMeanwhile'],
  ['the window closed after the announcement', 'again', closed, 'none', 'none'],
  [
    'what blocks has lasted',
    'begin',
    waitedMs('InstanceSilent', 10 * MIN_MS),
    'held InstanceSilent',
    'held InstanceSilent',
  ],
  ['what blocks has not lasted', 'begin', waitedMs('InstanceSilent', 10 * MIN_MS - 1), 'none', 'none'],
  [
    'what blocks has lasted',
    'announce',
    waitedMs('InstanceSilent', 10 * MIN_MS),
    'held InstanceSilent',
    'held InstanceSilent',
  ],
  ['what takes its course', 'announce', waitedMs('ServerNotUp', 10 * MIN_MS), 'none', 'none'],
  [
    'what takes its course has lasted',
    'announce',
    waitedMs('ServerNotUp', 30 * MIN_MS),
    'held ServerNotUp',
    'held ServerNotUp',
  ],
  [
    'the baseline is red',
    'begin',
    waitedMs('BaselineNotGreen', 2 * MIN_MS),
    'held BaselineNotGreen',
    'held BaselineNotGreen',
  ],
  [
    'a window is waited for without a limit',
    'begin',
    { ...closed, ...waitedMs('WindowClosed', 999 * MIN_MS) },
    'none',
    'none',
  ],
  [
    'what blocks a roll that has stopped',
    'leave',
    { ...waitedMs('InstanceSilent', 10 * MIN_MS), run: { verdict: over } },
    'stopped RequestsFailed',
    'stopped RequestsFailed',
  ],
  [
    'traffic is not green in the soak',
    'soak',
    { ...red, backMs: 2 * MIN_MS },
    'stopped keepOut NotSoaked BaselineNotGreen',
    'stopped keepOut NotSoaked BaselineNotGreen',
  ],
  [
    'a worse verdict says nothing twice',
    'soak',
    {
      ...red,
      backMs: 2 * MIN_MS,
      run: { verdict: { ...over, reasons: [{ code: 'BaselineNotGreen', object: 'shop', text: 'x' }] } },
    },
    'stopped keepOut BaselineNotGreen NotSoaked',
    'stopped keepOut BaselineNotGreen NotSoaked',
  ],
]

for (const [rule, stage, change, node, machine] of STOPS)
  test(`a node and a machine are judged by the same rules: ${rule}, at ${stage}`, () => {
    assert.deepEqual([verdictOf(nodeWith(stage, change)), verdictOf(machineWith(stage, change))], [node, machine])
  })

const HOLD = { kind: 'hold', recheckAfterMs: 500 } as const
const withoutPods = (s: NodeSnapshot): NodeSnapshot => ({ ...s, evidence: { ...s.evidence, podsLeft: 0 } })
const SILENT = [{ code: 'InstanceSilent', text: 'x' }] as const

/** Each waits since a minute at its record. */
const WAITS: readonly (readonly [string, Pick<StepDecision, 'step' | 'reasons'>, sinceMs: number])[] = [
  ['the same step', { step: 'record', reasons: SILENT }, MIN_MS],
  ['a later step', { step: 'detach', reasons: SILENT }, 0],
  ['an earlier step', { step: 'slot', reasons: SILENT }, MIN_MS],
  ['what is waited for by law', { step: 'record', reasons: [{ code: 'ApiUnreachable', text: 'x' }] }, 50_000],
  ['a window', { step: 'record', reasons: [{ code: 'WindowClosed', text: 'x' }] }, 0],
]

for (const [what, pass, sinceMs] of WAITS)
  test(`a node and a machine wait in vain by the same clock: ${what}`, () => {
    const waited: Stuck = {
      ...{ stuckSince: at(MIN_MS), stuckStep: 'record', stuckReasons: SILENT, stuckFor: 'blocked' },
      passedAt: at(10_000),
    }
    const decision = { ...HOLD, ...pass }
    const found = [
      rememberDecision(nodeWith('begin', { waited, ofNode: withoutPods }), decision).stuckSince,
      rememberMachineDecision(machineWith('begin', { waited }), decision).stuckSince,
    ]
    assert.deepEqual(found, [at(sinceMs), at(sinceMs)])
  })

test('a node and a machine hear of a slot whose answer came too late for the caller', () => {
  const unread = { unread: true } as const
  const found = [
    observe(nodeWith('begin', unread)).slotTakenAt,
    observeMachine(machineWith('begin', unread)).slotTakenAt,
  ]
  assert.deepEqual(found, [NOW, NOW])
})

test('no limit of a node or a machine runs while the API server is away', () => {
  const since = (unheard: Change) => {
    const change: Change = { ...unheard, waited: { passedAt: at(10_000), attachDueSince: at(MIN_MS) } as Stuck }
    const again = { ...change, waited: { ...change.waited, awaySince: at(MIN_MS), rebootSince: at(MIN_MS) } as Stuck }
    return [
      observe(nodeWith('soak', change)).attachDueSince,
      observeMachine(machineWith('return', change)).attachDueSince,
      observe(nodeWith('again', again)).awaySince,
      observeMachine(machineWith('again', again)).rebootSince,
    ]
  }
  assert.deepEqual(since({}), [at(MIN_MS), at(MIN_MS), at(MIN_MS), at(MIN_MS)])
  assert.deepEqual(since({ unheard: true }), [at(50_000), at(50_000), at(50_000), at(50_000)])
})

test('a resumed node and a resumed machine are waited for only since the process has its slot', () => {
  const free = { slot: { state: 'free', mayAct: false } } as const
  const asking = { ...HOLD, step: 'slot', reasons: [{ code: 'SlotTaken', text: 'x' }] } as const
  const evidence = (stage: Stage, change: Change) => ({
    node: rememberDecision(nodeWith(stage, change), asking),
    machine: observeMachine({ ...machineWith(stage, change), evidence: {} }),
  })
  const [again, back] = [evidence('again', free), evidence('return', free)]
  assert.deepEqual([again.node.awaySince, again.machine.rebootSince], [undefined, undefined])
  assert.deepEqual([back.node.settlingSince, back.machine.provenSince], [undefined, undefined])
  const held = { again: evidence('again', {}).machine, back: evidence('return', {}).machine }
  assert.deepEqual([held.again.rebootSince, held.back.provenSince], [NOW, NOW])
})

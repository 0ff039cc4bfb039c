import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FailureWindow } from '../../../src/ground/model/probe.ts'
import { monoMs, wallMs } from '../../../src/ground/model/time.ts'
import { mayDisrupt } from '../../../src/roll/decide/guards.ts'
import { judge } from '../../../src/roll/decide/judge.ts'
import { soak } from '../../../src/roll/decide/steps/soak.ts'
import { stopUse } from '../../../src/roll/decide/stop/stop-rules.ts'
import { STEPS as LADDER, type Step } from '../../../src/roll/model/step.ts'
import { aStep, aWindow, backAgain, CONTROL, type Found, measured, SHOP } from '../../support/measured-roll.ts'
import { announced } from '../../support/roll-stages.ts'
import { aRecord } from '../../support/roll-world.ts'

const STEPS = [aStep('n1', 'drain', 5_000, 9_900), aStep('n1', 'reboot', 10_000, 19_900), aStep('n2', 'drain', 20_000)]
const THREE = { failedRequests: { inAll: 3, perNode: 2 } }
const TEN_SECONDS = { downtime: [{ target: 'shop', downtimeMs: 10_000 }] }

const VERDICTS: readonly (readonly [title: string, found: Found, text: RegExp | undefined])[] = [
  ['nothing failed', { stop: THREE }, undefined],
  [
    'as many failed as are allowed, in all and of each node',
    { stop: THREE, windows: [aWindow(2, 6_000), aWindow(1, 21_000)], steps: STEPS },
    undefined,
  ],
  [
    'one more failed than is allowed in all',
    { stop: THREE, windows: [aWindow(2, 6_000), aWindow(2, 21_000)], steps: STEPS },
    /^4 requests failed, and stop.failedRequests.inAll allows 3: 2 at n1, drain; 2 at n2, drain$/,
  ],
  [
    'one more failed than is allowed of one node, in two steps of it',
    { stop: THREE, windows: [aWindow(1, 6_000), aWindow(2, 11_000)], steps: STEPS },
    /^3 requests failed for which n1 is blamed, and stop.failedRequests.perNode allows 2: 2 at n1, reboot; 1 at n1, drain$/,
  ],
  [
    'what belongs to no step counts in all alone',
    { stop: THREE, windows: [aWindow(3, 2_000)], steps: STEPS },
    undefined,
  ],
  [
    'what belongs to no step is said so',
    { stop: THREE, windows: [aWindow(4, 2_000)], steps: STEPS },
    /: 4 while no step was under way$/,
  ],
  [
    'a file that allows none stops with the first',
    { stop: { failedRequests: { inAll: 0, perNode: 0 } }, windows: [aWindow(1, 6_000)], steps: STEPS },
    /^1 request failed, and stop.failedRequests.inAll allows 0: 1 at n1, drain$/,
  ],
  [
    'what failed before the baseline was over does not count',
    { stop: { failedRequests: { inAll: 0, perNode: 0 } }, windows: [aWindow(9, 500)] },
    undefined,
  ],
  [
    'what an earlier process saw counts',
    {
      stop: THREE,
      windows: [aWindow(1, 21_000)],
      steps: STEPS,
      run: { windowsBefore: [{ window: aWindow(3, 200), blame: { node: 'n9', step: 'attach', rank: 1 } }] },
    },
    /^4 requests failed, .*: 3 at n9, attach; 1 at n2, drain$/,
  ],
  [
    'a failure that a control may still excuse does not count yet',
    {
      stop: THREE,
      targets: [SHOP, CONTROL],
      windows: [aWindow(4, 59_000, 59_000, { undecided: { failed: 1, since: wallMs(59_000) } })],
    },
    undefined,
  ],
  [
    'a failure that a control excuses never counts',
    { stop: THREE, targets: [SHOP, CONTROL], windows: [aWindow(4, 6_000, 6_000, { excused: 1 })] },
    undefined,
  ],
  [
    'latency alone in the file: the first failed request stops',
    { stop: {}, windows: [aWindow(1, 6_000)], steps: STEPS },
    /^1 request failed, and stop.failedRequests.inAll allows 0/,
  ],
  [
    'downtime within the budget, of any number of requests',
    { stop: TEN_SECONDS, windows: [aWindow(900, 6_000, 15_900)], steps: STEPS },
    undefined,
  ],
  [
    'downtime over the budget, of several steps',
    { stop: TEN_SECONDS, windows: [aWindow(600, 6_000, 12_000), aWindow(400, 21_000, 25_000)], steps: STEPS },
    /^shop was down for at most 10 s, and its error budget is 10 s: 6 s at n1, drain; 4 s at n2, drain$/,
  ],
  [
    'both lanes of a target that are down together count once',
    { stop: TEN_SECONDS, windows: [aWindow(600, 6_000, 12_000), aWindow(600, 6_000, 12_000, { lane: 'kept' })] },
    undefined,
  ],
  [
    'a target without a budget beside one that has one',
    {
      stop: TEN_SECONDS,
      targets: [SHOP, { ...SHOP, name: 'api' }],
      windows: [aWindow(9, 6_000, 7_000), aWindow(1, 8_000, 8_000, { target: 'api' })],
    },
    /^1 request failed, and stop.failedRequests.inAll allows 0/,
  ],
]

for (const [title, found, text] of VERDICTS) {
  test(`law: a roll goes on with failed requests or slow ones only as far as its file allows, and stops with the first one beyond; ${title}`, () => {
    const verdict = judge(measured(found))
    if (text === undefined) {
      assert.equal(verdict, undefined)
      return
    }
    assert.equal(verdict?.kind, 'stopped')
    assert.match(verdict?.reasons[0]?.text ?? '', text)
  })
}

test('a window that is open counts up to what is known', () => {
  const { firstOkAt: _, ...open } = aWindow(100, 21_000, 59_000)
  assert.deepEqual(stopUse(measured({ stop: TEN_SECONDS, windows: [open] })), [
    { rule: 'downtime', target: 'shop', used: 39_020, allowed: 10_000 },
  ])
})

test('a window that an earlier process left open counts as long as that process saw it, and not on while a later one sees all well', () => {
  const { firstOkAt: _, ...open } = aWindow(100, 21_000, 25_000)
  const run = { windowsBefore: [{ window: open }] }
  assert.deepEqual(stopUse(measured({ stop: TEN_SECONDS, run })), [
    { rule: 'downtime', target: 'shop', used: 4_020, allowed: 10_000 },
  ])
})

test('what broke the rule before the reboot lets a node be put back, and what broke it since takes it out again', () => {
  const windows = [aWindow(4, 21_000)]
  assert.equal(judge(measured({ stop: THREE, windows, world: backAgain(22_000) }))?.keepOut, false)
  assert.equal(judge(measured({ stop: THREE, windows, world: backAgain(20_000) }))?.keepOut, true)
})

test('while requests fail that the file allows, nothing more is taken away, but for a reboot that is announced', () => {
  const { firstOkAt: _, ...open } = aWindow(1, 59_000)
  const failing = measured({ stop: THREE, windows: [open] })
  assert.deepEqual(
    mayDisrupt(failing).map(({ code }) => code),
    ['RequestsFailing'],
  )
  assert.deepEqual(mayDisrupt(measured({ stop: THREE, windows: [aWindow(1, 59_000)] })), [])
  assert.deepEqual(mayDisrupt(measured({ stop: THREE, windows: [open], world: announced })), [])
})

test('a control is waited for only where its answer decides', () => {
  const undecided = (failed: number) => [
    aWindow(failed, 59_000, 59_000, { undecided: { failed, since: wallMs(59_000) } }),
  ]
  const held = (failed: number) =>
    mayDisrupt(measured({ stop: THREE, targets: [SHOP, CONTROL], windows: undecided(failed) })).map(({ code }) => code)
  assert.deepEqual([held(3), held(4)], [[], ['ControlAwaited']])
})

test('a failed request in the soak that the file allows makes the soak begin anew, if the node is blamed for it', () => {
  const soaking = (node: string) => {
    const s = measured({
      stop: THREE,
      windows: [aWindow(1, 55_000)],
      steps: [aStep(node, 'soak', 50_000)],
      world: backAgain(40_000),
    })
    const evidence = { ...s.evidence, attachedAtWall: wallMs(45_000), attachedAt: monoMs(s.now - 15_000) }
    return soak.next({ ...s, evidence, record: aRecord() } as Parameters<typeof soak.next>[0]).kind
  }
  assert.deepEqual([soaking('n1'), soaking('n2')], ['hold', 'act'])
})

const besideSoaking = (window: FailureWindow, blamed: string, step: Step = 'attach') => {
  const s = measured({
    stop: THREE,
    windows: [window],
    steps: [aStep('n1', 'soak', 50_000), aStep(blamed, step, 52_000)],
    world: backAgain(40_000),
    run: { beside: [{ node: 'n2', goesFirst: false, isLeaving: true }] },
  })
  const { stop: _, ...spec } = s.spec
  return judge({ ...s, spec })?.keepOut
}

test('law: with several nodes in work, a failed request takes out the node that is blamed for it, and further ones only if failures go on; the other node soaks on', () => {
  assert.deepEqual([besideSoaking(aWindow(1, 55_000), 'n2'), besideSoaking(aWindow(1, 55_000), 'n1')], [false, true])
  const takenOut = LADDER.filter((step) => besideSoaking(aWindow(1, 55_000), 'n2', step) === true)
  assert.deepEqual(
    takenOut,
    ['slot', 'record', 'reboot', 'proof', 'settle'],
    'blamed at a step that can fail no request',
  )
})

test('law: with several nodes in work, a failed request takes out the node that is blamed for it, and further ones only if failures go on; they go on', () => {
  assert.equal(besideSoaking(aWindow(9, 55_000, 58_000), 'n2'), true)
})

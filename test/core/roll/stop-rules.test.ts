import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { StepSpan } from '../../../src/core/availability/attribution.ts'
import { baselineMissing } from '../../../src/core/roll/baseline.ts'
import { mayDisrupt } from '../../../src/core/roll/guards.ts'
import { judge } from '../../../src/core/roll/judge.ts'
import type { RollSnapshot } from '../../../src/core/roll/snapshot.ts'
import { soak } from '../../../src/core/roll/steps/soak.ts'
import { stopUse } from '../../../src/core/roll/stop/stop-rules.ts'
import type { FailureWindow, ProbeFacts, ProbeTarget, SlowSeconds } from '../../../src/model/probe.ts'
import type { StopSpec } from '../../../src/model/stop-spec.ts'
import { monoMs, wallMs } from '../../../src/model/time.ts'
import { announced, out } from '../../support/roll-stages.ts'
import { aRecord, aSnapshot, aSpec, NEW_BOOT } from '../../support/roll-world.ts'

const SHOP: ProbeTarget = {
  name: 'shop',
  url: 'http://shop.test/',
  control: false,
  ratePerSecond: 100,
  keptShare: 0,
  keptConnections: 1,
  timeoutMs: 2_000,
  expectStatus: [200, 299],
  servedByHeader: 'x-served-by',
}
const CONTROL: ProbeTarget = { ...SHOP, name: 'control', control: true, ratePerSecond: 1 }

const aStep = (node: string, step: StepSpan['step'], from: number, to?: number): StepSpan => ({
  node,
  step,
  startedAt: wallMs(from),
  ...(to === undefined ? {} : { endedAt: wallMs(to) }),
})

/** `failed` requests to shop failed from one moment to another; all was well 20 ms before and after. */
const aWindow = (failed: number, from: number, to = from, change: Partial<FailureWindow> = {}): FailureWindow => ({
  target: 'shop',
  control: false,
  lane: 'new',
  sent: failed,
  failed,
  failures: { connect: failed },
  firstError: 'ECONNREFUSED',
  lastOkAt: wallMs(from - 20),
  firstBadAt: wallMs(from),
  lastBadAt: wallMs(to),
  firstOkAt: wallMs(to + 20),
  ...change,
})

interface Found {
  readonly stop: Partial<StopSpec>
  readonly windows?: readonly FailureWindow[]
  readonly slow?: readonly SlowSeconds['seconds'][]
  readonly steps?: readonly StepSpan[]
  readonly world?: Parameters<typeof aSnapshot>[0]
  readonly run?: Partial<RollSnapshot['run']>
  readonly targets?: readonly ProbeTarget[]
  readonly wall?: number
}

/** A node that is out and drained, a roll that measures since 1 s, and what its probe has seen up to a minute. */
function measured({ stop, windows = [], slow = [], steps = [], world = out, run = {}, targets, wall = 60_000 }: Found) {
  const s = aSnapshot(world)
  const probe: ProbeFacts = {
    startedAt: wallMs(0),
    lastVerdictAt: wallMs(wall),
    settledBefore: wallMs(wall),
    lanes: [],
    windows,
    notMeasured: [],
    servedBy: {},
    greenStreak: 0,
    slow: slow.map((seconds) => ({ target: 'shop', slowerThanMs: 500, seconds })),
  }
  const spec = aSpec({
    probe: { targets: targets ?? [SHOP], baselineMs: 10_000, baselineLimitMs: 60_000 },
    stop: { latency: [], downtime: [], ...stop },
  })
  return { ...s, spec, probe, steps, wall: wallMs(wall), run: { ...s.run, measuredSince: wallMs(1_000), ...run } }
}

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

const backAgain = (since: number) => ({
  ...out,
  node: { bootId: NEW_BOOT },
  evidence: { attachedAt: monoMs(999_000), attachingSince: monoMs(998_000), attachingSinceWall: wallMs(since) },
})

test('what broke the rule before the reboot lets a node be put back, and what broke it since takes it out again', () => {
  const windows = [aWindow(4, 21_000)]
  assert.equal(judge(measured({ stop: THREE, windows, world: backAgain(22_000) }))?.keepOut, false)
  assert.equal(judge(measured({ stop: THREE, windows, world: backAgain(20_000) }))?.keepOut, true)
})

/** Seconds up to the minute, of which the last ones are slow. */
const seconds = (count: number, good: number, slow: number, slowSeconds: number): SlowSeconds['seconds'] =>
  Array.from({ length: count }, (_, i) => ({
    at: wallMs(60_000 - (count - i) * 1000),
    good,
    slow: i >= count - slowSeconds ? slow : 0,
  }))

const LATENCY = {
  failedRequests: { inAll: 0, perNode: 0 },
  latency: [{ target: 'shop', slowerThanMs: 500, share: 0.01, overMs: 30_000 }],
}
const SINCE_DRAIN = [aStep('n1', 'drain', 5_000, 55_500), aStep('n2', 'drain', 55_500)]

const SLOW: readonly (readonly [title: string, seconds: SlowSeconds['seconds'], text: RegExp | undefined])[] = [
  ['exactly the share is slow', seconds(30, 100, 10, 3), undefined],
  [
    'one request more is slow',
    [...seconds(30, 100, 10, 3).slice(0, -1), { at: wallMs(59_000), good: 100, slow: 11 }],
    /^1 % of the requests to shop in 30 s took longer than 500 ms, and stop.latency allows 1 %: 31 at n2, drain$/,
  ],
  ['what was slow is over by now', seconds(60, 100, 50, 0).map((s, i) => (i < 29 ? { ...s, slow: 50 } : s)), undefined],
  ['too few requests, all of them slow', seconds(3, 10, 10, 3), undefined],
  ['too few requests, but more of them slow than the share of a full window', seconds(3, 20, 20, 3), /^2 % of/],
]

for (const [title, told, text] of SLOW) {
  test(`law: too few requests decide nothing about the latency; ${title}`, () => {
    const verdict = judge(measured({ stop: LATENCY, slow: [told], steps: SINCE_DRAIN }))
    if (text === undefined) assert.equal(verdict, undefined)
    else assert.match(verdict?.reasons[0]?.text ?? '', text)
  })
}

test('a service that became slow before its node is put back does not take the node out again, and one that is slow since does', () => {
  const slow = [seconds(30, 100, 20, 10)]
  assert.equal(judge(measured({ stop: LATENCY, slow, world: backAgain(59_500) }))?.keepOut, false)
  assert.equal(judge(measured({ stop: LATENCY, slow, world: backAgain(45_000) }))?.keepOut, true)
})

test('a service that is too slow before the roll begins is said so', () => {
  const { probe, spec } = measured({ stop: LATENCY, slow: [seconds(30, 100, 5, 30)] })
  const slow = { ...probe, lanes: [] }
  assert.deepEqual(baselineMissing(slow, wallMs(60_000), spec), [
    {
      code: 'BaselineSlow',
      object: 'shop',
      text: 'more than 1 % of the requests to shop took longer than 500 ms before the roll began',
    },
  ])
  const few = { ...slow, slow: [{ target: 'shop', slowerThanMs: 500, seconds: seconds(10, 9, 2, 1) }] }
  assert.deepEqual(
    baselineMissing(few, wallMs(60_000), spec).map(({ code }) => code),
    ['BaselineShort'],
  )
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

const besideSoaking = (window: FailureWindow, blamed: string) => {
  const s = measured({
    stop: THREE,
    windows: [window],
    steps: [aStep('n1', 'soak', 50_000), aStep(blamed, 'attach', 52_000)],
    world: backAgain(40_000),
    run: { beside: [{ node: 'n2', goesFirst: false, isLeaving: true }] },
  })
  const { stop: _, ...spec } = s.spec
  return judge({ ...s, spec })?.keepOut
}

test('law: with several nodes in work, a failed request takes out the node that is blamed for it, and further ones only if failures go on; the other node soaks on', () => {
  assert.deepEqual([besideSoaking(aWindow(1, 55_000), 'n2'), besideSoaking(aWindow(1, 55_000), 'n1')], [false, true])
})

test('law: with several nodes in work, a failed request takes out the node that is blamed for it, and further ones only if failures go on; they go on', () => {
  assert.equal(besideSoaking(aWindow(9, 55_000, 58_000), 'n2'), true)
})

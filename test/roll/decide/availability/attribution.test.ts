import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FailureClass, FailureWindow } from '../../../../src/ground/model/probe.ts'
import { attribute, type StepSpan } from '../../../../src/roll/decide/availability/attribution.ts'
import { LaneWindows } from '../../../../src/roll/decide/availability/lane-windows.ts'
import type { ReloadSpan } from '../../../../src/roll/model/reload-span.ts'
import type { Step } from '../../../../src/roll/model/step.ts'
import { at, samplesOf } from './a-sample.ts'

/** Good until 10 s, bad from 10.02 s to 10.38 s, good from 10.40 s. */
const windowOf = (drawing: string): FailureWindow => {
  const lane = new LaneWindows(20)
  for (const sample of samplesOf(drawing, 20)) lane.record(sample)
  const [window] = lane.ended()
  assert.ok(window)
  return window
}
const window = windowOf(`${'.'.repeat(501)}${'x'.repeat(19)}${'.'.repeat(9)}`)

const span = (node: string, step: Step, from: number, to?: number): StepSpan => ({
  node,
  step,
  startedAt: at(from),
  ...(to === undefined ? {} : { endedAt: at(to) }),
})

const blameOf = (steps: readonly StepSpan[], excused = 0) => {
  const attribution = attribute({ window: { ...window, excused }, periodMs: 20, steps, reloads: [] })
  return attribution.kind === 'prober' ? 'prober' : attribution.blame.map((b) => `${b.rank} ${b.node} ${b.step}`)
}

test('the step under way is to blame, the one begun last first', () => {
  const steps = [span('w-1', 'soak', 0, 11_000), span('w-2', 'detach', 9_000, 10_050), span('w-2', 'drain', 10_050)]
  assert.deepEqual(blameOf(steps), ['1 w-2 detach', '2 w-1 soak'])
})

test('a step that ended within 250 ms and a period before the first bad sample still counts', () => {
  assert.deepEqual(blameOf([span('w-1', 'detach', 5_000, 9_755)]), ['1 w-1 detach'])
  assert.deepEqual(blameOf([span('w-1', 'detach', 5_000, 9_745)]), [])
})

test('a step begun after the first failed request is no cause, however long requests go on failing', () => {
  assert.deepEqual(blameOf([span('w-1', 'attach', 10_020)]), ['1 w-1 attach'])
  assert.deepEqual(blameOf([span('w-1', 'attach', 10_021)]), [])
  const open = windowOf(`${'.'.repeat(501)}${'x'.repeat(500)}`)
  const steps = [
    span('w-1', 'drain', 9_000, 10_300),
    span('w-1', 'uncordon', 10_300, 10_400),
    span('w-1', 'attach', 15_000),
  ]
  assert.deepEqual(attribute({ window: open, periodMs: 20, steps, reloads: [] }), {
    kind: 'found',
    reloads: [],
    blame: [{ node: 'w-1', step: 'drain', rank: 1 }],
  })
})

test('requests that were under way when a step broke them are blamed on that step, though they were sent before it began', () => {
  const causeOf = (failure: FailureClass): readonly string[] => {
    const lane = new LaneWindows(50)
    for (const sample of samplesOf(`${'.'.repeat(193)}xxxxxxx....`, 50)) {
      const latencyMs = Math.max(5, at(10_000) - sample.scheduledAt)
      lane.record(sample.verdict === 'ok' ? sample : { ...sample, failure, latencyMs })
    }
    const [broken] = lane.ended()
    assert.deepEqual([broken?.firstBadAt, broken?.firstOkAt], [at(9_650), at(10_000)])
    const steps = [span('n9', 'soak', 0, 9_630), span('n1', 'detach', 9_720, 9_990), span('n1', 'drain', 10_000)]
    const found = broken && attribute({ window: broken, periodMs: 50, steps, reloads: [] })
    return found?.kind === 'found' ? found.blame.map(({ node, step }) => `${node} ${step}`) : []
  }
  assert.deepEqual(causeOf('reset'), ['n1 drain', 'n1 detach', 'n9 soak'])
  assert.deepEqual(causeOf('status'), ['n1 drain', 'n1 detach', 'n9 soak'])
  assert.deepEqual(causeOf('noResponse'), ['n9 soak'], 'it is not known when a request failed that was given up')
})

test('without an overlap nothing is blamed', () => {
  assert.deepEqual(blameOf([]), [])
})

test('where the beginning of a window is not known, the time back to the last good sample counts', () => {
  const blind = windowOf(`.${'_'.repeat(100)}xx......`)
  const steps = [span('w-1', 'reboot', 500, 900)]
  assert.deepEqual(attribute({ window: blind, periodMs: 20, steps, reloads: [] }), {
    kind: 'found',
    reloads: [],
    blame: [{ node: 'w-1', step: 'reboot', rank: 1 }],
  })
})

test('where a control excuses every request, the prober is to blame and no node; where one is left, the step is', () => {
  const steps = [span('w-2', 'detach', 9_000)]
  assert.equal(window.failed, 19)
  assert.equal(blameOf(steps, 19), 'prober')
  assert.deepEqual(blameOf(steps, 18), ['1 w-2 detach'])
})

const reload = (from: number, to?: number): ReloadSpan => ({
  balancer: 'edge',
  instance: 'lb-1',
  servers: ['web/n2'],
  nodes: ['n2'],
  from: at(from),
  seenAt: at(from + 200),
  ...(to === undefined ? {} : { to: at(to) }),
})

/** The window: good until 10 s, bad from 10.02 s to 10.38 s, good from 10.40 s. */
const RELOADS: readonly (readonly [what: string, span: ReloadSpan, isCause: boolean])[] = [
  ['the requests were sent while it had a node in service', reload(9_900, 10_380), true],
  ['it goes on: what it forgot is not out again', reload(9_900), true],
  ['all was out again 260 ms before the first of them was sent', reload(9_000, 9_760), true],
  ['all was out again earlier than 250 ms and a period before', reload(9_000, 9_745), false],
  ['it may have begun 250 ms after the first of them was sent', reload(10_270, 10_800), true],
  ['requests failed before it began, and went on failing', reload(10_271, 10_800), false],
  ['it came after all was good again', reload(10_401, 10_800), false],
]

for (const [what, span, isCause] of RELOADS) {
  test(`a reload is ${isCause ? 'the' : 'no'} cause where ${what}`, () => {
    const found = attribute({ window, periodMs: 20, steps: [], reloads: [span] })
    assert.deepEqual(found, { kind: 'found', reloads: isCause ? [span] : [], blame: [] })
  })
}

test('a request that is given up two seconds later counts for the reload in which it was sent', () => {
  const lane = new LaneWindows(20)
  const [sent, answered] = samplesOf('x.', 20)
  assert.ok(sent !== undefined && answered !== undefined)
  lane.record({ ...sent, failure: 'noResponse', latencyMs: 2_000 })
  for (const later of samplesOf('.......', 20).slice(1)) lane.record(later)
  const [givenUp] = lane.ended()
  assert.ok(givenUp)
  const span = reload(-100, 5)
  assert.deepEqual(attribute({ window: givenUp, periodMs: 20, steps: [], reloads: [span] }), {
    kind: 'found',
    reloads: [span],
    blame: [],
  })
})

test('a window that never ended and was there before a reload is not the reload’s', () => {
  const open = windowOf(`${'.'.repeat(501)}${'x'.repeat(19)}`)
  const found = attribute({ window: open, periodMs: 20, steps: [], reloads: [reload(60_000)] })
  assert.deepEqual(found, { kind: 'found', reloads: [], blame: [] })
})

test('a reload stands beside the steps, and a control that failed excuses it too', () => {
  const steps = [span('n2', 'reboot', 9_000)]
  const reloads = [reload(9_900, 10_380)]
  assert.deepEqual(attribute({ window, periodMs: 20, steps, reloads }), {
    kind: 'found',
    reloads,
    blame: [{ node: 'n2', step: 'reboot', rank: 1 }],
  })
  assert.equal(attribute({ window: { ...window, excused: 19 }, periodMs: 20, steps, reloads }).kind, 'prober')
})

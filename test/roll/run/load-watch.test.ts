import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FailureWindow, ProbeStatus, ProbeTarget } from '../../../src/ground/model/probe.ts'
import { monoMs, wallMs } from '../../../src/ground/model/time.ts'
import type { ReloadSpan } from '../../../src/roll/model/reload-span.ts'
import type { RollEvent } from '../../../src/roll/model/roll-event.ts'
import { LoadWatch } from '../../../src/roll/run/load-watch.ts'
import { CONTROL } from '../../support/measured-roll.ts'
import { VirtualClock } from '../../support/virtual-clock.ts'

const START = '2026-01-01T00:00:00.000Z'
const at = (ms: number) => wallMs(Date.parse(START) + ms)

const aWindow = (change: Partial<FailureWindow> = {}): FailureWindow => ({
  target: 'shop',
  control: false,
  lane: 'new',
  sent: 2,
  failed: 2,
  failures: { status: 2 },
  firstError: 'status 503',
  lastOkAt: at(980),
  firstBadAt: at(1000),
  lastBadAt: at(1020),
  ...change,
})

const RELOAD: ReloadSpan = {
  balancer: 'edge',
  instance: 'lb-1',
  servers: ['web/n2'],
  nodes: ['n2'],
  from: at(900),
  seenAt: at(1100),
  to: at(1200),
}

/** A measured roll in which n2 reboots; `world` is what probe and balancers know so far. */
function watched(targets: readonly ProbeTarget[] = []) {
  const clock = new VirtualClock(START)
  const events: RollEvent[] = []
  const world = {
    windows: [] as readonly FailureWindow[],
    reloads: [] as readonly ReloadSpan[],
    notMeasured: [] as ProbeStatus['notMeasured'],
    answeredFor: Number.NEGATIVE_INFINITY,
  }
  const facts = (): ProbeStatus => ({
    startedAt: at(0),
    lanes: [],
    windows: world.windows,
    notMeasured: world.notMeasured,
    greenStreak: 0,
  })
  const watch = new LoadWatch({
    probe: { run: () => Promise.resolve(), status: facts, windows: () => world.windows, baseline: () => undefined },
    spec: { targets, baselineMs: 0, baselineLimitMs: 0 },
    clock,
    steps: () => [{ node: 'n2', step: 'reboot', startedAt: at(500) }],
    reloads: () => world.reloads,
    answeredSince: (since) => world.answeredFor >= since,
    strays: () => 0,
    emit: (event) => events.push(event),
  })
  watch.baselineEnded(at(0))
  const windows = () =>
    events.flatMap((event) => {
      if (event.type !== 'window.opened' && event.type !== 'window.closed') return []
      const reloads = (event.reloads ?? []).map(({ instance }) => instance)
      return [`${event.type} ${event.window.firstBadAt - at(0)} ${reloads.join()} ${event.blame[0]?.step}`]
    })
  return { clock, watch, world, windows }
}

test('a window is reported once every balancer has answered after it, with the reload that it fell into', async () => {
  const { clock, watch, world, windows } = watched()
  await clock.advance(1050)
  world.windows = [aWindow()]
  watch.changed()
  assert.deepEqual(windows(), [])
  assert.equal(watch.hasUnreported(), true)
  await clock.advance(100)
  world.reloads = [RELOAD]
  world.answeredFor = monoMs(1060)
  watch.changed()
  assert.deepEqual(windows(), ['window.opened 1000 lb-1 reboot'])
  world.windows = [aWindow({ firstOkAt: at(1300) })]
  watch.changed()
  watch.changed()
  assert.deepEqual(windows(), ['window.opened 1000 lb-1 reboot', 'window.closed 1000 lb-1 reboot'])
})

test('where a balancer does not answer a window is told a second later all the same', async () => {
  const { clock, watch, world, windows } = watched()
  await clock.advance(1050)
  world.windows = [aWindow()]
  watch.changed()
  await clock.advance(999)
  watch.changed()
  assert.deepEqual(windows(), [])
  await clock.advance(1)
  watch.changed()
  assert.deepEqual(windows(), ['window.opened 1000  reboot'])
})

test('what was kept back is told at the end', async () => {
  const { clock, watch, world, windows } = watched()
  await clock.advance(1050)
  world.windows = [aWindow({ firstOkAt: at(1040) })]
  watch.changed()
  watch.finish()
  assert.deepEqual(windows(), ['window.opened 1000  reboot', 'window.closed 1000  reboot'])
  assert.equal(watch.hasUnreported(), false)
})

test('a window whose beginning moves to the front, since a request timed out before it, is reported once', () => {
  const { watch, world, windows } = watched()
  world.answeredFor = 0
  world.windows = [aWindow()]
  watch.changed()
  const grown = aWindow({ firstBadAt: at(960), lastBadAt: at(1100), sent: 8, failed: 5 })
  world.windows = [grown]
  watch.changed()
  world.windows = [{ ...grown, firstOkAt: at(1120) }]
  watch.changed()
  assert.deepEqual(windows(), ['window.opened 1000  reboot', 'window.closed 960  reboot'])
})

test('a reload takes nothing off the count of the node that was under way', () => {
  const { watch, world } = watched()
  world.reloads = [RELOAD]
  world.windows = [aWindow()]
  assert.equal(watch.failedIn('n2'), 2)
})

test('a stall that two targets saw counts once as not measured, and one beside it counts too', () => {
  const { watch, world } = watched()
  world.notMeasured = [
    { from: at(1000), to: at(3000) },
    { from: at(1200), to: at(3300) },
    { from: at(5000), to: at(5500) },
  ]
  assert.equal(watch.tick().notMeasuredMs, 2800)
})

test('what a control may still excuse is counted apart, and counts once the stop rules count it: when its answer is overdue', async () => {
  const { clock, watch, world } = watched([CONTROL])
  await clock.advance(1_100)
  world.windows = [aWindow({ sent: 5, failed: 5, undecided: { failed: 4, since: at(1_020) } })]
  const counts = () => [watch.tick().failed, watch.tick().undecided, watch.tick(true).failed]
  assert.deepEqual(counts(), [1, 4, 5])
  // Its period of a second, its time-out of two, and a second for a batch on its way.
  await clock.advance(3_920)
  assert.deepEqual(counts(), [5, undefined, 5])
})

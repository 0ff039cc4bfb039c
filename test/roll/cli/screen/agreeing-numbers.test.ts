import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FailureWindow, LaneSummary, ProbeStatus, ProbeTarget } from '../../../../src/ground/model/probe.ts'
import { wallMs } from '../../../../src/ground/model/time.ts'
import { plainLine } from '../../../../src/ground/text/terminal/style.ts'
import { eventLines } from '../../../../src/roll/cli/screen/event-lines.ts'
import { summaryLines } from '../../../../src/roll/cli/screen/summary-lines.ts'
import type { StampedEvent } from '../../../../src/roll/model/roll-event.ts'
import type { Probe } from '../../../../src/roll/ports/probe.ts'
import { reduceRoll } from '../../../../src/roll/report/view/reduce-roll.ts'
import { emptyRollView } from '../../../../src/roll/report/view/roll-view.ts'
import { leave, memoryRoll } from '../../../support/memory-roll.ts'
import { aSpec } from '../../../support/roll-world.ts'
import type { VirtualClock } from '../../../support/virtual-clock.ts'
import { failure, load, Story, standing } from './roll-story.ts'

/** Each count of failed requests that a person reads, in order: `0 of 11,208`. */
function saidCounts(events: readonly StampedEvent[]): readonly string[] {
  let view = emptyRollView
  const texts = events.flatMap((event) => {
    view = reduceRoll(view, event)
    const lines = [...eventLines(view, event, 1), ...(event.type === 'roll.ended' ? summaryLines(view) : [])]
    return event.type === 'baseline.ended' ? [] : lines.map(plainLine)
  })
  return [...texts.join(' ').matchAll(/([\d,]+) failed of ([\d,]+)/g)].map(([, failed, sent]) => `${failed} of ${sent}`)
}

const SHOP: ProbeTarget = {
  name: 'shop',
  url: 'https://app.example.com/',
  control: false,
  ratePerSecond: 100,
  keptShare: 0,
  keptConnections: 1,
  timeoutMs: 2_000,
  expectStatus: [200, 399],
  servedByHeader: 'X-Served-By',
}
const BASELINE_MS = 10_000

/** A hundred requests a second. Five that are due just before the baseline is over have no answer, which is known 2 s later. */
function lateAnswers(clock: VirtualClock): Probe {
  const startedAt = clock.wallMs()
  const sentFor = (): number => clock.wallMs() - startedAt
  const windows = (): readonly FailureWindow[] => {
    const at = (ms: number) => wallMs(startedAt + BASELINE_MS - ms)
    const edges = { lastOkAt: at(70), firstBadAt: at(60), lastBadAt: at(20), firstOkAt: at(10) }
    const why = { failures: { noResponse: 5 }, firstError: 'no full answer within 2000 ms' }
    const window = { target: 'shop', control: false, lane: 'new', sent: 5, failed: 5, ...edges, ...why } as const
    return sentFor() < BASELINE_MS + 2_000 ? [] : [window]
  }
  const lane = (): LaneSummary => {
    const sent = Math.floor(sentFor() / 10) - (windows().length === 0 ? 5 : 0)
    const times = { slow: 0, p50Ms: 3, p90Ms: 5, p99Ms: 12, maxMs: 20, startErrorP99Ms: 1 }
    const failed = windows().length * 5
    return { target: 'shop', control: false, lane: 'new', scheduled: sent, sent, skipped: 0, failed, ...times }
  }
  const status = (): ProbeStatus => ({
    startedAt,
    lastVerdictAt: clock.wallMs(),
    settledBefore: clock.wallMs(),
    lanes: [lane()],
    windows: windows(),
    notMeasured: [],
    greenStreak: 1_000,
  })
  const run = async (changed: () => void, signal: AbortSignal): Promise<void> => {
    for (;;) {
      await clock.sleep(250, signal)
      changed()
    }
  }
  return { status, windows, baseline: () => undefined, run }
}

test('what was sent before the roll began and failed after is no failure of the roll, and no number counts it', async (t) => {
  const probe = { targets: [SHOP], baselineMs: BASELINE_MS, baselineLimitMs: 120_000 }
  const spec = { ...aSpec(), probe }
  const roll = memoryRoll({ run: { spec, order: ['n1'] }, probe: lateAnswers })
  const running = roll.begin()
  t.after(() => leave(roll, running))
  for (let tries = 0; roll.ended() === undefined && tries < 300; tries += 1) await roll.clock.advance(1_000)
  assert.deepEqual([roll.ended()?.outcome, roll.ended()?.load?.failed], ['completed', 0])
  const counts = saidCounts(roll.events)
  assert.equal(counts.length, 2, counts.join('; '))
  assert.equal(new Set(counts).size, 1, counts.join('; '))
})

test('the line of a node and the end count the same requests, whatever a failure is blamed on', () => {
  const end = { outcome: 'stopped', exitCode: 1, reasons: [], standings: [standing('w-1')], next: [] } as const
  const story = new Story()
    .add('06:14:39', { type: 'roll.started', run: 'r', cluster: 'prod-eu1', nodes: ['w-1'], resumed: false })
    .add('06:14:46', { type: 'load.tick', load: load(0) })
    .add('06:14:46', { type: 'node.started', node: 'w-1', index: 0 })
    .add('06:16:01', { type: 'window.closed', window: { ...failure, failed: 5 }, blame: [] })
    .add('06:16:40', { type: 'load.tick', load: load(11_208, 5) })
    .add('06:16:40', { type: 'node.ended', standing: standing('w-1') })
    .add('06:16:40', { type: 'roll.ended', ...end, load: load(11_208, 5) })
  assert.deepEqual(saidCounts(story.events), ['5 of 11,208', '5 of 11,208'])
})

test('what is measured while a node is kept out changes no number of the end', () => {
  const end = { outcome: 'stopped', exitCode: 1, reasons: [], standings: [], next: [], guarded: ['w-1'] } as const
  const story = new Story()
    .begin(['w-1'])
    .add('06:16:40', { type: 'roll.ended', ...end, load: load(11_208, 5) })
    .add('06:16:41', { type: 'load.tick', load: load(11_308, 9) })
  assert.deepEqual([story.view.load?.sent, story.view.load?.failed], [11_208, 5])
})

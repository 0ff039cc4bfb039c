import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FailureWindow, LaneSummary, ProbeStatus, ProbeTarget } from '../../../../src/ground/model/probe.ts'
import { wallMs } from '../../../../src/ground/model/time.ts'
import { plainLine } from '../../../../src/ground/text/terminal/style.ts'
import { eventLines } from '../../../../src/roll/cli/screen/event-lines.ts'
import type { Probe } from '../../../../src/roll/ports/probe.ts'
import { rollViewOf } from '../../../../src/roll/report/view/reduce-roll.ts'
import { leave, memoryRoll } from '../../../support/memory-roll.ts'
import { aServer, aSpec } from '../../../support/roll-world.ts'
import type { VirtualClock } from '../../../support/virtual-clock.ts'

const SHOP: ProbeTarget = {
  name: 'shop',
  url: 'https://app.example.com/',
  control: false,
  ratePerSecond: 100,
  keptShare: 0,
  keptConnections: 1,
  timeoutMs: 2000,
  expectStatus: [200, 399],
  servedByHeader: 'X-Served-By',
}
const FAILS_AFTER_MS = 12_500

/** A hundred requests a second; one fails 12.5 s after the first, soon after a baseline of 10 s. */
function oneFailure(clock: VirtualClock): Probe {
  const startedAt = clock.wallMs()
  const failsAt = wallMs(startedAt + FAILS_AFTER_MS)
  const windows = (): readonly FailureWindow[] =>
    clock.wallMs() < failsAt
      ? []
      : [
          {
            target: 'shop',
            control: false,
            lane: 'new',
            sent: 1,
            failed: 1,
            failures: { status: 1 },
            firstError: 'HTTP 503',
            lastOkAt: wallMs(failsAt - 10),
            firstBadAt: failsAt,
            lastBadAt: failsAt,
            firstOkAt: wallMs(failsAt + 10),
          },
        ]
  const lane = (sent: number): LaneSummary => ({
    target: 'shop',
    control: false,
    lane: 'new',
    scheduled: sent,
    sent,
    skipped: 0,
    failed: windows().length,
    slow: 0,
    p50Ms: 3,
    p90Ms: 5,
    p99Ms: 12,
    maxMs: 20,
    startErrorP99Ms: 1,
  })
  const facts = (): ProbeStatus => ({
    startedAt,
    lastVerdictAt: clock.wallMs(),
    settledBefore: clock.wallMs(),
    lanes: [lane(Math.floor((clock.wallMs() - startedAt) / 10))],
    windows: windows(),
    notMeasured: [],
    greenStreak: 1000,
  })
  return {
    status: facts,
    windows,
    baseline: () => undefined,
    run: async (changed, signal) => {
      for (;;) {
        await clock.sleep(250, signal)
        changed()
      }
    },
  }
}

test('the line of a node that is restored after a failed request counts the requests since the baseline', async (t) => {
  const spec = { ...aSpec(), probe: { targets: [SHOP], baselineMs: 10_000, baselineLimitMs: 120_000 } }
  // A session keeps n1 in its detach until the request fails.
  const servers = [aServer('n1', { currentSessions: 1 }), aServer('n2'), aServer('n3')]
  const roll = memoryRoll({ run: { spec }, servers, probe: oneFailure })
  const running = roll.begin()
  t.after(() => leave(roll, running))
  await roll.clock.advance(60_000)
  const at = roll.events.findIndex((event) => event.type === 'node.ended')
  const lines = roll.events.flatMap((event, index) =>
    index === at ? eventLines(rollViewOf(roll.events.slice(0, index + 1)), event, 1).map(plainLine) : [],
  )
  assert.deepEqual(lines, ['00:00:13Z n1     restored  0:03, restored as it was, no pods moved, 1 failed of 325'])
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FailureWindow } from '../../../../src/ground/model/probe.ts'
import { plainLine } from '../../../../src/ground/text/terminal/style.ts'
import { failureWords } from '../../../../src/roll/cli/probe/failure-words.ts'
import { liveLine, outageLine } from '../../../../src/roll/cli/probe/probe-lines.ts'
import type { ProbeReading } from '../../../../src/roll/cli/probe/probe-reading.ts'
import { probeSummary } from '../../../../src/roll/cli/probe/probe-summary.ts'
import { Histogram } from '../../../../src/roll/decide/availability/histogram.ts'
import { aTarget, at } from '../../decide/availability/a-sample.ts'
import { aLane, aReading, aWindow, URL } from './a-reading.ts'

const FACTS: Partial<ProbeReading['status']> = {
  lanes: [aLane({ failed: 17 }), aLane({ lane: 'kept', p50Ms: 2, p90Ms: 4, p99Ms: 9, maxMs: 31 })],
  windows: [aWindow()],
  servedBy: { 'cp-1': 4_100, 'cp-2': 4_101, 'cp-3': 4_082 },
}

test('the summary says failed of sent first, then each lane, then who served', () => {
  assert.deepEqual(probeSummary(aReading({ facts: FACTS }), 0.34), [
    '17 failed of 12,300 requests in 2 min 3 s (0.14 %)  https://app.example.com/',
    '  lane   sent  failed     share  p50  p90  p99  max ms  slow  skipped',
    '  new   6,150      17    0.28 %    3    6   11      48     0        0',
    '  kept  6,150       0  <0.049 %    2    4    9      31     0        0',
    '  served by  cp-1 4,100   cp-2 4,101   cp-3 4,082',
    '  downtime   320 to 360 ms in 1 window; a check once a second counts 0.3',
  ])
})

test('a measured zero stands with its bound, and nothing is said about what was not', () => {
  const lanes = [aLane({ sent: 600, scheduled: 600 })]
  const summary = probeSummary(aReading({ facts: { lanes }, forMs: 6_000 }), 0)
  assert.equal(summary[0], '0 failed of 600 requests in 6 s (<0.50 %)  https://app.example.com/')
  assert.equal(summary.length, 3)
})

test('retried requests stand beside the failures with their number, and are none', () => {
  const facts = { lanes: [aLane({}), aLane({ lane: 'kept', retried: 12 })] }
  const lines = probeSummary(aReading({ facts }), 0)
  assert.match(lines[0] ?? '', /^0 failed of 12,300 requests /)
  assert.deepEqual(lines.slice(4), ['  retried   12 of 6,150 over kept connections; the second result counts'])
  assert.match(plainLine(liveLine(aReading({ facts }), new Histogram())), / {2}0 failed {2}12 retried {2}now ok /)
})

test('where nothing answered there is no latency, and an outage that did not end has no upper bound', () => {
  const lanes = [aLane({ sent: 100, scheduled: 100, failed: 100, p50Ms: 0, p90Ms: 0, p99Ms: 0, maxMs: 0 })]
  const { firstOkAt: _at, ...open } = aWindow({ failed: 100 })
  const summary = probeSummary(aReading({ facts: { lanes, windows: [open] }, forMs: 67_540 }), 1)
  assert.match(summary[2] ?? '', /^ {2}new +100 +100 +100 % +- +- +- +- +0 +0$/)
  assert.match(summary[3] ?? '', /downtime {3}320 ms or more in 1 window;/)
})

test('what the prober is to blame for is listed and not counted', () => {
  const targets = [aTarget({ name: URL, url: URL }), aTarget({ name: 'control x', control: true, keptShare: 0 })]
  const control = aWindow({ target: 'control x', control: true, failed: 3 })
  const lanes = [aLane({ failed: 17 }), aLane({ target: 'control x', control: true, sent: 30, failed: 3 })]
  const summaryOf = (facts: Partial<ProbeReading['status']>) =>
    probeSummary(aReading({ targets, facts: { lanes, ...facts } }), 0.34)
  const lineOf = (excused: number) => {
    const window = aWindow({ excused })
    return plainLine(outageLine({ type: 'closed', outages: 1, windows: [{ window, closed: true }] }))
  }
  const all = summaryOf({ windows: [aWindow({ excused: 17 }), control] })
  assert.deepEqual(all, [
    '0 failed of 6,150 requests in 2 min 3 s (<0.049 %)  https://app.example.com/',
    '  lane   sent  failed     share  p50  p90  p99  max ms  slow  skipped',
    '  new   6,150       0  <0.049 %    3    6   11      48     0        0',
    '  not counted   17 failed while the control target failed too: prober',
    '  control target   3 failed of 30',
  ])
  assert.match(lineOf(17), /; not counted: prober$/)
  const part = summaryOf({ windows: [aWindow({ excused: 12 }), control] })
  assert.equal(part[0], '5 failed of 6,150 requests in 2 min 3 s (0.081 %)  https://app.example.com/')
  assert.ok(part.includes('  not counted   12 failed while the control target failed too: prober'), part.join('\n'))
  assert.match(lineOf(12), /; 12 of them not counted: prober$/)
  const excused = { window: aWindow({ excused: 17 }), closed: true }
  const counted = { window: aWindow({ lane: 'kept', failed: 3 }), closed: true }
  assert.match(
    plainLine(outageLine({ type: 'closed', windows: [excused, counted], outages: 1 })),
    /: 20 failed in .*; 17 of them not counted: prober$/,
  )
  assert.match(
    plainLine(outageLine({ type: 'closed', windows: [{ window: control, closed: true }], outages: 1 })),
    /^06:41:07\.20Z {2}control target control x: 3 failed in /,
  )
})

test('a control that was not green at first is said to excuse nothing', () => {
  const targets = [aTarget({ name: URL, url: URL }), aTarget({ name: 'control x', control: true, keptShare: 0 })]
  const lanes = [aLane({ failed: 17 }), aLane({ target: 'control x', control: true, sent: 30, failed: 30 })]
  const reading = aReading({ targets, facts: { lanes, windows: [aWindow()], redControls: ['control x'] } })
  assert.equal(reading.failed, 17)
  const summary = probeSummary(reading, 0.34)
  assert.ok(
    summary.includes('  control target   30 failed of 30; it was not green at first, so it excuses'),
    summary.join('\n'),
  )
})

test('what was not measured is said', () => {
  const notMeasured = [
    { from: at(2_401_000), to: at(2_402_000) },
    { from: at(2_401_500), to: at(2_402_200) },
  ]
  const summary = probeSummary(aReading({ facts: { lanes: [aLane({ skipped: 120 })], notMeasured } }), 0)
  assert.ok(summary.includes('  not measured   1.2 s; 120 samples skipped'))
  const late = probeSummary(aReading({ facts: { lanes: [aLane({ skipped: 1 })] } }), 0)
  assert.ok(late.includes('  not measured   1 sample skipped'))
})

test('many names do not flood the screen, and none of them can move the cursor', () => {
  const servedBy = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`pod-${i}`, i + 1]))
  const lines = probeSummary(aReading({ facts: { lanes: [aLane({})], servedBy } }), 0)
  assert.ok(lines.every((line) => line.length <= 80))
  assert.match(lines.join(' '), /served by {2}pod-49 50 .*and 30 more/)
  const hostile = probeSummary(aReading({ facts: { lanes: [aLane({})], servedBy: { '\x1b[2J': 1 } } }), 0)
  assert.equal(plainLine([hostile.at(-1) ?? '']), '  served by  \\x1b[2J 1')
})

test('the live line says how long, how many, what now and how fast', () => {
  const latency = new Histogram()
  for (const ms of [3, 3, 3, 11, 48]) latency.record(ms)
  const live = (facts: Partial<ProbeReading['status']>): string => plainLine(liveLine(aReading({ facts }), latency))
  assert.equal(
    live({ ...FACTS, windows: [] }),
    '2:03  12,300 sent  17 failed  now ok  p50 3  p99 48  max 48 ms  skipped 0',
  )
  const { firstOkAt: _at, ...open } = aWindow()
  assert.match(live({ ...FACTS, windows: [open] }), / now failing /)
  assert.match(live({ ...FACTS, notMeasured: [{ from: at(2_500_000), to: at(2_523_000) }] }), / now not measured /)
  assert.match(live({}), / now starting /)
})

test('a line says when, of which probe, how many, how long at least and at most, on which lanes and why', () => {
  const line = (type: 'closed' | 'opened', outages: number, ...[first = aWindow(), ...others]: FailureWindow[]) => {
    const asTold = (window: FailureWindow) => ({ window, closed: type === 'closed' })
    return plainLine(outageLine({ type, outages, windows: [asTold(first), ...others.map(asTold)] }))
  }
  assert.equal(
    line('closed', 1),
    '06:41:07.20Z  https://app.example.com/: 17 failed in 320 to 360 ms, new, connect refused',
  )
  const kept = aWindow({ lane: 'kept', failed: 2, firstBadAt: at(2_467_210), lastBadAt: at(2_468_600) })
  assert.equal(
    line('closed', 1, aWindow(), { ...kept, firstOkAt: at(2_468_640) }),
    '06:41:07.20Z  https://app.example.com/: 19 failed in 1.40 to 1.46 s, new and kept, connect refused',
  )
  assert.equal(
    line('closed', 7, aWindow(), { ...kept, firstOkAt: at(2_468_640) }),
    '06:41:07.20Z  https://app.example.com/: 19 failed in 7 windows over 1.40 to 1.46 s, new and kept, connect refused',
  )
  assert.equal(
    line('opened', 1, aWindow()),
    '06:41:07.20Z  https://app.example.com/ failing: 17 failed so far, new, connect refused',
  )
})

test('one class has its words, several have their counts', () => {
  const words = (failures: object, firstError = ''): string => failureWords({ failures, firstError })
  assert.equal(words({ connect: 2 }, 'connect EHOSTUNREACH 192.0.2.1:80'), 'no route to host')
  assert.equal(words({ status: 4 }, 'HTTP 503 Service Unavailable'), 'HTTP 503')
  assert.equal(words({ noResponse: 1 }, 'no full answer within 2000 ms'), 'no response')
  assert.equal(words({ stale: 1 }), 'kept connection closed')
  assert.equal(words({ reset: 3, noResponse: 12 }), 'no response (12), reset (3)')
})

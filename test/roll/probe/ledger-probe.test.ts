import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ProbeSignal } from '../../../src/ground/model/probe-signal.ts'
import { monoMs, wallMs } from '../../../src/ground/model/time.ts'
import { type Flight, Flights } from '../../../src/roll/probe/flights.ts'
import { LedgerProbe } from '../../../src/roll/probe/ledger-probe.ts'
import { WallAnchor } from '../../../src/roll/probe/wall-anchor.ts'
import { VirtualClock } from '../../support/virtual-clock.ts'
import { aSample, aTarget, at, T0 } from '../decide/availability/a-sample.ts'

const START_WALL = '2026-11-21T06:00:00.000Z'

test('a probe passes on starts, samples and deaths, and no heartbeat; after its end nothing more goes unmeasured', async () => {
  const clock = new VirtualClock(START_WALL)
  const heard: string[] = []
  const signals: readonly ProbeSignal[] = [
    { type: 'started', at: at(0) },
    { type: 'batch', at: at(100), samples: [], settledBefore: at(100) },
    { type: 'batch', at: at(200), samples: [aSample({ ms: 120 }), aSample({ ms: 140 })], settledBefore: at(200) },
    { type: 'died', at: at(300), reason: 'killed by SIGKILL' },
  ]
  const probe = new LedgerProbe({
    targets: [aTarget()],
    source: {
      run: async (emit) => {
        for (const signal of signals) emit(signal)
        await clock.sleep(1000, new AbortController().signal)
      },
    },
    clock,
    onStart: (begun) => heard.push(`start ${begun - T0}`),
    onSamples: (samples) => heard.push(`${samples.length} samples`),
    onDeath: (reason) => heard.push(reason),
  })
  const running = probe.run(() => heard.push('change'), new AbortController().signal)
  await clock.advance(1000)
  await running
  assert.deepEqual(heard, ['start 0', 'change', '2 samples', 'change', 'killed by SIGKILL', 'change', 'change'])
  const { notMeasured } = probe.status()
  await clock.advance(60_000)
  assert.deepEqual(probe.status().notMeasured, notMeasured)
  assert.equal(notMeasured.at(-1)?.to, T0 + 1000)
})

function aFlight(change: Partial<Flight> = {}): Flight {
  return {
    target: aTarget({ timeoutMs: 2000 }),
    lane: 'new',
    dueAt: monoMs(10_000),
    scheduledAt: wallMs(0),
    startedAt: monoMs(10_000),
    stalledBeforeMs: 0,
    asleepBeforeMs: 0,
    controller: new AbortController(),
    ...change,
  }
}

test('a request is given up when its time-out is over, and not a millisecond before', () => {
  const flights = new Flights()
  const flight = aFlight()
  flights.add(flight)
  flights.abortOverdue(monoMs(11_999))
  assert.equal(flight.controller.signal.aborted, false)
  flights.abortOverdue(monoMs(12_000))
  assert.equal(flight.controller.signal.aborted, true)
})

test('a request gains no time by a stall that was over before it began', () => {
  const flights = new Flights()
  flights.stalled(5000)
  const flight = aFlight({ stalledBeforeMs: flights.stalledMs })
  flights.add(flight)
  flights.stalled(300)
  flights.abortOverdue(monoMs(12_299))
  assert.equal(flight.controller.signal.aborted, false)
  flights.abortOverdue(monoMs(12_300))
  assert.equal(flight.controller.signal.aborted, true)
})

test('stamps stay evenly spaced where a wall clock reads coarsely, and follow it where it was set', () => {
  const clock = new VirtualClock(START_WALL)
  const anchor = new WallAnchor(clock)
  clock.jumpWall(20)
  anchor.check()
  assert.equal(anchor.stamp(monoMs(1000)), T0 + 1000)
  clock.jumpWall(1)
  anchor.check()
  assert.equal(anchor.stamp(monoMs(1000)), T0 + 1021)
})

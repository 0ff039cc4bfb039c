import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ProbeTarget, Sample } from '../../../src/ground/model/probe.ts'
import type { ProbeSignal } from '../../../src/ground/model/probe-signal.ts'
import type { Clock } from '../../../src/ground/ports/clock.ts'
import type { HttpVerdict } from '../../../src/ground/ports/http-probe.ts'
import { lengthMs, union } from '../../../src/roll/decide/availability/downtime.ts'
import { ProbeLedger } from '../../../src/roll/decide/availability/probe-ledger.ts'
import { Sampler } from '../../../src/roll/probe/sampler.ts'
import { VirtualClock } from '../../support/virtual-clock.ts'
import { aTarget } from '../decide/availability/a-sample.ts'

/** When the answer to a request begun at `ms` comes, and which. Undefined: never. */
type Service = (ms: number) => { readonly afterMs: number; readonly verdict?: HttpVerdict } | undefined

interface Course {
  readonly service: Service
  readonly targets?: readonly ProbeTarget[]
  /** What happens, after which the prober is stopped and awaited. */
  readonly during: (clock: StallingClock) => Promise<void>
}

/** A clock that can leave the prober standing still: time passes, and no sleep ends before the end of it. */
class StallingClock extends VirtualClock {
  #stalledMs = 0

  stall(ms: number): void {
    this.#stalledMs += ms
  }

  override monoMs() {
    return (super.monoMs() + this.#stalledMs) as ReturnType<Clock['monoMs']>
  }

  override wallMs() {
    return (super.wallMs() + this.#stalledMs) as ReturnType<Clock['wallMs']>
  }
}

async function course({ service, targets = [aTarget()], during }: Course) {
  const clock = new StallingClock()
  const signals: ProbeSignal[] = []
  const http = {
    ask: async (_target: ProbeTarget, _lane: string, signal: AbortSignal): Promise<HttpVerdict> => {
      const reply = service(clock.monoMs())
      try {
        await clock.sleep(reply?.afterMs ?? 3_600_000, signal)
        return reply?.verdict ?? {}
      } catch {
        return { failure: 'noResponse', error: String(signal.reason) }
      }
    },
  }
  const stop = new AbortController()
  const ledger = new ProbeLedger(targets, clock.wallMs())
  const emit = (signal: ProbeSignal): void => {
    signals.push(signal)
    ledger.apply(signal)
  }
  const running = new Sampler({ targets, http, clock, emit }).run(stop.signal)
  await during(clock)
  stop.abort(new Error('enough'))
  await clock.advance(5_000)
  await running
  ledger.end(clock.wallMs())
  const samples = signals.flatMap((signal) => (signal.type === 'batch' ? signal.samples : []))
  return { samples, signals, facts: ledger.status(clock.wallMs()), left: clock.sleeping() }
}

const count = (samples: readonly Sample[], verdict: Sample['verdict']): number =>
  samples.filter((sample) => sample.verdict === verdict).length

const healthy: Service = () => ({ afterMs: 3 })

test('asks as often as told, in time, half over kept connections', async () => {
  const { samples, facts } = await course({ service: healthy, during: (clock) => clock.advance(2_019) })
  assert.equal(samples.length, 200)
  assert.deepEqual(
    facts.lanes.map((lane) => [lane.lane, lane.sent, lane.failed]),
    [
      ['new', 100, 0],
      ['kept', 100, 0],
    ],
  )
  assert.ok(samples.every((sample) => Math.abs(sample.startedLateMs) <= 0.5 && !('failure' in sample)))
  const stamps = samples.map((sample) => sample.scheduledAt)
  assert.deepEqual(new Set(stamps.slice(1).map((stamp, i) => stamp - (stamps[i] ?? 0))), new Set([10]))
})

test('goes on asking while the service does not answer, and counts each wait from its scheduled time', async () => {
  const service: Service = (ms) => (ms < 1_000 || ms >= 1_500 ? { afterMs: 3 } : { afterMs: 1_500 - ms })
  const { samples } = await course({ service, during: (clock) => clock.advance(3_019) })
  assert.equal(samples.length, 300)
  assert.equal(count(samples, 'ok'), 300)
  assert.equal(samples.filter((sample) => sample.latencyMs > 3).length, 50)
  assert.equal(Math.max(...samples.map((sample) => Math.round(sample.latencyMs))), 500)
})

test('gives a request up at its timeout', async () => {
  const service: Service = (ms) => (ms < 1_000 ? { afterMs: 3 } : undefined)
  const { samples, facts } = await course({ service, during: (clock) => clock.advance(1_119) })
  const failed = samples.filter((sample) => sample.verdict === 'failed')
  assert.equal(failed.length, 12)
  assert.ok(failed.every(({ latencyMs }) => latencyMs >= 2_000 && latencyMs <= 2_020))
  assert.equal(failed[0]?.error, 'Error: no full answer within 2000 ms')
  assert.equal(facts.windows.length, 2)
})

test('stopped, it waits for the verdicts it owes and leaves nothing behind', async () => {
  const { samples, left } = await course({
    service: () => ({ afterMs: 700 }),
    during: (clock) => clock.advance(1_019),
  })
  assert.equal(samples.length, 100)
  assert.equal(count(samples, 'ok'), 100)
  assert.equal(left, 0)
})

test('law: time in which the prober stood still is not measured, and never good; what was due over 50 ms before its end is skipped and never sent', async () => {
  const asked: number[] = []
  const { samples, facts } = await course({
    service: (ms) => {
      asked.push(ms)
      return { afterMs: 3 }
    },
    during: async (clock) => {
      await clock.advance(1_019)
      clock.stall(1_000)
      await clock.advance(1_000)
    },
  })
  assert.equal(samples.length, 300)
  const skipped = count(samples, 'skipped')
  assert.ok(skipped >= 93 && skipped <= 96, String(skipped))
  const lateMs = samples
    .flatMap(({ error }) => /^the prober was (\d+) ms late$/.exec(error ?? '')?.[1] ?? [])
    .map(Number)
  assert.equal(lateMs.length, skipped)
  assert.ok(
    lateMs.every((ms) => ms > 50 && ms <= 1_000),
    String(lateMs),
  )
  assert.equal(asked.length, 300 - skipped)
  assert.deepEqual(facts.windows, [])
  assert.equal(facts.notMeasured.length, 2, 'one of each lane')
  for (const { from, to } of facts.notMeasured) assert.ok(to - from >= 930 && to - from <= 1_020, `${to - from} ms`)
})

test('an answer that came while it stood still is no timeout, and no success where the time at which it came is not known', async () => {
  const { samples } = await course({
    service: (ms) => ({ afterMs: ms > 1_000 && ms < 1_020 ? 30 : 3 }),
    during: async (clock) => {
      await clock.advance(1_015)
      clock.stall(5_000)
      await clock.advance(500)
    },
  })
  assert.equal(count(samples, 'failed'), 0)
  const doubtful = samples.filter(({ error }) => error === 'the prober stood still while the answer was due')
  assert.ok(doubtful.length >= 1)
  assert.ok(doubtful.every((sample) => sample.verdict === 'skipped'))
})

test('a failure that came while it stood still remains one', async () => {
  const refused: HttpVerdict = { failure: 'connect', error: 'connect ECONNREFUSED' }
  const { samples } = await course({
    service: (ms) => (ms > 1_000 && ms < 1_020 ? { afterMs: 30, verdict: refused } : { afterMs: 3 }),
    during: async (clock) => {
      await clock.advance(1_015)
      clock.stall(5_000)
      await clock.advance(500)
    },
  })
  assert.ok(count(samples, 'failed') >= 1)
})

test('after a stall too long to catch up with, the schedule begins anew', async () => {
  const { signals, facts } = await course({
    service: healthy,
    during: async (clock) => {
      await clock.advance(1_000)
      clock.stall(3_600_000)
      await clock.advance(1_000)
    },
  })
  assert.equal(signals.filter((signal) => signal.type === 'started').length, 2)
  const [gap] = facts.notMeasured
  assert.ok(gap !== undefined && gap.to - gap.from >= 3_599_900)
  assert.ok(facts.lanes.every((lane) => lane.scheduled < 150))
})

test('law: time in which the prober stood still is not measured, and never good; nor is the time in which its machine slept', async () => {
  const broken: HttpVerdict = { failure: 'reset', error: 'read ECONNRESET' }
  const { samples, facts } = await course({
    service: (ms) => (ms > 1_000 && ms < 1_020 ? { afterMs: 30, verdict: broken } : { afterMs: 3 }),
    during: async (clock) => {
      await clock.advance(1_015)
      await clock.suspend(600_000)
      await clock.advance(1_000)
    },
  })
  assert.equal(count(samples, 'failed'), 0)
  assert.equal(Math.round(lengthMs(union(facts.notMeasured)) / 1_000), 600)
  assert.ok(facts.lanes.every((lane) => lane.scheduled < 110))
})

test('what the prober lacks itself is not held against the target', async () => {
  const lacking: HttpVerdict = { proberFault: true, error: 'connect EADDRNOTAVAIL' }
  const { facts } = await course({
    service: () => ({ afterMs: 1, verdict: lacking }),
    during: (clock) => clock.advance(500),
  })
  assert.deepEqual(facts.windows, [])
  assert.ok(facts.lanes.every((lane) => lane.sent === 0 && lane.skipped > 0))
})

test('stamps follow the wall clock when it is set', async () => {
  const { samples } = await course({
    service: healthy,
    during: async (clock) => {
      await clock.advance(1_019)
      clock.jumpWall(60_000)
      await clock.advance(1_000)
    },
  })
  const first = samples[0]?.scheduledAt ?? 0
  const last = samples.at(-1)?.scheduledAt ?? 0
  assert.ok(Math.abs(last - first - 61_990) < 60, String(last - first))
})

test('tells what it knows at least every 100 ms, also when it knows nothing', async () => {
  const rare = aTarget({ ratePerSecond: 0.5, keptShare: 0 })
  const { signals } = await course({ service: healthy, targets: [rare], during: (clock) => clock.advance(10_000) })
  const beats = signals.map((signal) => signal.at)
  assert.ok(beats.slice(1, -1).every((beat, i) => beat - (beats[i] ?? 0) <= 100))
})

test('several targets are asked each at its own rate', async () => {
  const targets = [aTarget(), aTarget({ name: 'elsewhere', control: true, ratePerSecond: 10, keptShare: 0 })]
  const { facts } = await course({ service: healthy, targets, during: (clock) => clock.advance(2_019) })
  assert.deepEqual(
    facts.lanes.map((lane) => [lane.target, lane.sent]),
    [
      ['web', 100],
      ['web', 100],
      ['elsewhere', 20],
    ],
  )
})

import type { FailureWindow, LaneSummary, ProbeTarget } from '../../../../src/ground/model/probe.ts'
import { type ProbeReading, readProbe } from '../../../../src/roll/cli/probe/probe-reading.ts'
import { ProbeLedger } from '../../../../src/roll/decide/availability/probe-ledger.ts'
import { aTarget, at } from '../../decide/availability/a-sample.ts'

export const URL = 'https://app.example.com/'

export const aLane = (changes: Partial<LaneSummary>): LaneSummary => ({
  target: URL,
  control: false,
  lane: 'new',
  scheduled: 6_150,
  sent: 6_150,
  skipped: 0,
  failed: 0,
  slow: 0,
  p50Ms: 3,
  p90Ms: 6,
  p99Ms: 11,
  maxMs: 48,
  startErrorP99Ms: 0.7,
  ...changes,
})

/** Bad from 41 min 7.20 s to 7.52 s, 20 ms between two samples. */
export const aWindow = (changes: Partial<FailureWindow> = {}): FailureWindow => ({
  target: URL,
  control: false,
  lane: 'new',
  sent: 17,
  failed: 17,
  failures: { connect: 17 },
  firstError: 'connect ECONNREFUSED 192.0.2.1:443',
  lastOkAt: at(2_467_180),
  firstBadAt: at(2_467_200),
  lastBadAt: at(2_467_520),
  firstOkAt: at(2_467_540),
  ...changes,
})

interface Given {
  readonly facts?: Partial<ProbeReading['status']>
  readonly targets?: readonly ProbeTarget[]
  readonly forMs?: number
}

export function aReading({
  facts = {},
  targets = [aTarget({ name: URL, url: URL })],
  forMs = 123_000,
}: Given): ProbeReading {
  const startedAt = at(2_400_000)
  const nothing = new ProbeLedger(targets, startedAt).status(startedAt)
  return readProbe({ ...nothing, startedAt, notMeasured: [], ...facts }, targets, at(2_400_000 + forMs))
}

import type { Lane, ProbeTarget, Sample } from '../../../../src/ground/model/probe.ts'
import { type WallMs, wallMs } from '../../../../src/ground/model/time.ts'

/** 100 a second to one target, half of them over kept connections: 20 ms between the samples of a lane. */
export const aTarget = (changes: Partial<ProbeTarget> = {}): ProbeTarget => ({
  name: 'web',
  url: 'http://127.0.0.1:1/',
  control: false,
  ratePerSecond: 100,
  keptShare: 0.5,
  keptConnections: 4,
  timeoutMs: 2_000,
  expectStatus: [200, 399],
  servedByHeader: 'x-served-by',
  ...changes,
})

export const T0 = Date.parse('2026-11-21T06:00:00.000Z')
export const at = (ms: number): WallMs => wallMs(T0 + ms)

interface Given {
  readonly ms: number
  readonly lane?: Lane
  readonly verdict?: Sample['verdict']
  readonly changes?: Partial<Sample>
}

export const aSample = ({ ms, lane = 'new', verdict = 'ok', changes = {} }: Given): Sample => ({
  target: 'web',
  control: false,
  lane,
  scheduledAt: at(ms),
  startedLateMs: 0.2,
  verdict,
  latencyMs: verdict === 'skipped' ? 0 : 3,
  ...(verdict === 'failed' ? { failure: 'connect' as const, error: 'connect ECONNREFUSED 127.0.0.1:1' } : {}),
  ...changes,
})

const VERDICTS: Readonly<Record<string, Sample['verdict']>> = { '.': 'ok', x: 'failed', _: 'skipped' }

/** `..xx._.` is good, good, bad, bad, good, skipped, good, one every `periodMs`. */
export const samplesOf = (drawing: string, periodMs: number, lane: Lane = 'new'): readonly Sample[] =>
  [...drawing].map((mark, i) => aSample({ ms: i * periodMs, lane, verdict: VERDICTS[mark] ?? 'ok' }))

import { formatDuration } from '../../../ground/model/duration.ts'
import type { ProbeStatus, SlowSeconds } from '../../../ground/model/probe.ts'
import { type WallMs, wallMs } from '../../../ground/model/time.ts'
import type { Blame } from '../../model/roll-event.ts'
import type { RollSpec } from '../../model/roll-spec.ts'
import type { LatencyLimit } from '../../model/stop-spec.ts'
import type { StepSpan } from '../availability/attribution.ts'
import type { RuleState } from './count-rules.ts'
import { blameText, type StopSnapshot } from './judged-failures.ts'

const SECOND_MS = 1_000

/** The seconds that count for a limit, with the number of requests that were due in its whole time. */
interface Measured {
  readonly limit: LatencyLimit
  readonly seconds: SlowSeconds['seconds']
  readonly fullCount: number
}

/**
 * Which share of the requests to a target was slow. With less than a full window, the missing requests count as good, so only
 * what they could not change decides.
 *
 * Law: too few requests decide nothing about the latency.
 */
export function latencyRules(s: StopSnapshot, since = s.run.measuredSince): readonly RuleState[] {
  if (since === undefined) return []
  return measured(s, since).map((found) => {
    const { limit, seconds } = found
    const used = shareOf(found)
    const { target, slowerThanMs, overMs, share: allowed } = limit
    return {
      use: { rule: 'latency', target, slowerThanMs, overMs, used, allowed },
      reason: () => ({
        code: 'TooSlow',
        object: target,
        text: `${percentText(used)} of the requests to ${target} in ${formatDuration(overMs)} took longer than ${formatDuration(slowerThanMs)}, and stop.latency allows ${percentText(allowed)}: ${blameText(slowSteps(seconds, s.steps ?? []))}`,
      }),
      lastAt: seconds.findLast(({ slow }) => slow > 0)?.at,
    }
  })
}

function measured({ spec, probe }: StopSnapshot, since: WallMs): readonly Measured[] {
  const to = probe?.settledBefore
  if (to === undefined) return []
  return (spec.stop?.latency ?? []).map((limit, index) => {
    const from = Math.max(since, to - limit.overMs)
    const rate = spec.probe?.targets.find(({ name }) => name === limit.target)?.ratePerSecond ?? 0
    return {
      limit,
      seconds: (probe?.slow?.[index]?.seconds ?? []).filter(({ at }) => at >= from),
      fullCount: (rate * limit.overMs) / SECOND_MS,
    }
  })
}

function shareOf({ seconds, fullCount }: Measured): number {
  const slow = seconds.reduce((sum, second) => sum + second.slow, 0)
  const good = seconds.reduce((sum, second) => sum + second.good, 0)
  return slow === 0 ? 0 : slow / Math.max(good, fullCount)
}

/** Each slow second is blamed on the step that was under way in it; of several steps, on the one begun last. */
function slowSteps(
  seconds: SlowSeconds['seconds'],
  steps: readonly StepSpan[],
): readonly { readonly amount: number; readonly blame?: Blame }[] {
  return seconds
    .filter(({ slow }) => slow > 0)
    .map(({ at, slow }) => {
      const step = steps
        .filter(
          ({ startedAt, endedAt = wallMs(Number.POSITIVE_INFINITY) }) => startedAt < at + SECOND_MS && endedAt >= at,
        )
        .toSorted((a, b) => b.startedAt - a.startedAt)[0]
      return { amount: slow, ...(step === undefined ? {} : { blame: { node: step.node, step: step.step, rank: 1 } }) }
    })
}

type Baseline = Pick<RollSpec, 'probe' | 'stop'>

/** For how long the latency is judged before the roll begins: as long as its limit says, and at most for the baseline. */
const spanMs = ({ probe }: Baseline, { overMs }: LatencyLimit): number => Math.min(probe?.baselineMs ?? 0, overMs)

/** Whether answers are missing from the time for which the latency is judged before the roll begins. */
export const isLatencyOwed = (spec: Baseline, { startedAt, settledBefore = startedAt }: ProbeStatus): boolean =>
  (spec.stop?.latency ?? []).some((limit) => settledBefore - startedAt < spanMs(spec, limit))

/** Limits that are broken before the roll begins. */
export const slowBaseline = (
  spec: Baseline,
  { startedAt, settledBefore = startedAt, slow = [] }: ProbeStatus,
): readonly LatencyLimit[] =>
  (spec.stop?.latency ?? []).filter((limit, index) => {
    const from = settledBefore - spanMs(spec, limit)
    const seconds = (slow[index]?.seconds ?? []).filter(({ at }) => at >= from)
    const good = seconds.reduce((sum, second) => sum + second.good, 0)
    const late = seconds.reduce((sum, second) => sum + second.slow, 0)
    return good * limit.share >= 1 && late > limit.share * good
  })

/** `1.4 %`, `0.05 %`. */
export const percentText = (share: number): string => `${Number((share * 100).toPrecision(2))} %`

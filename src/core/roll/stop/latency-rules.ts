import { formatDuration } from '../../../model/duration.ts'
import type { ProbeFacts, SlowSeconds } from '../../../model/probe.ts'
import type { Blame } from '../../../model/roll-event.ts'
import type { RollSpec } from '../../../model/roll-spec.ts'
import type { LatencyLimit } from '../../../model/stop-spec.ts'
import { type WallMs, wallMs } from '../../../model/time.ts'
import type { StepSpan } from '../../availability/attribution.ts'
import type { RuleState } from './count-rules.ts'
import { blameText, type StopFacts } from './judged-failures.ts'

const SECOND_MS = 1_000

/** The seconds of a limit that count, with what was due in as many seconds as it is measured over. */
interface Measured {
  readonly limit: LatencyLimit
  readonly seconds: SlowSeconds['seconds']
  readonly fullCount: number
}

/**
 * Which share of the requests to a target was slow. Less than a full window of requests decides only what all those that are missing
 * could not change: they count as good.
 *
 * Law: too few requests decide nothing about the latency.
 */
export function latencyRules(s: StopFacts, since = s.run.measuredSince): readonly RuleState[] {
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

function measured({ spec, probe }: StopFacts, since: WallMs): readonly Measured[] {
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

/** Each slow second goes to the step that was under way in it, of several to the one begun last. */
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

/** Before the roll begins: limits that are broken already, over as long as the baseline lasts. */
export function slowBaseline(
  { spec, probe }: { readonly spec: Pick<RollSpec, 'probe' | 'stop'>; readonly probe: ProbeFacts },
  now: WallMs,
): readonly LatencyLimit[] {
  const baselineMs = spec.probe?.baselineMs ?? 0
  return (spec.stop?.latency ?? []).filter(({ share, overMs }, index) => {
    const from = now - Math.min(baselineMs, overMs)
    const seconds = (probe.slow?.[index]?.seconds ?? []).filter(({ at }) => at >= from)
    const good = seconds.reduce((sum, second) => sum + second.good, 0)
    const slow = seconds.reduce((sum, second) => sum + second.slow, 0)
    return good * share >= 1 && slow > share * good
  })
}

/** `1.4 %`, `0.05 %`. */
export const percentText = (share: number): string => `${Number((share * 100).toPrecision(2))} %`

import { formatDuration } from '../../../ground/model/duration.ts'
import { present } from '../../../ground/model/present.ts'
import { type WallMs, wallMs } from '../../../ground/model/time.ts'
import { lengthMs, type Span, union } from '../availability/downtime.ts'
import { lastBadAt, type RuleState } from './count-rules.ts'
import { blameText, type JudgedFailure, type StopSnapshot } from './judged-failures.ts'

/** How long each target that has an error budget was down, at most. */
export const downtimeRules = (s: StopSnapshot, failures: readonly JudgedFailure[]): readonly RuleState[] =>
  (s.spec.stop?.downtime ?? []).map(({ target, downtimeMs: allowed }) => {
    const own = failures.filter(({ window }) => window.target === target)
    const used = Math.round(lengthMs(union(own.map((failure) => spanOf(s, failure)))))
    return {
      use: { rule: 'downtime', target, used, allowed },
      reason: () => ({
        code: 'ErrorBudgetUsedUp',
        object: target,
        text: `${target} was down for at most ${formatDuration(used)}, and its error budget is ${formatDuration(allowed)}: ${blamed(s, own)}`,
      }),
      lastAt: lastBadAt(own),
    }
  })

/**
 * From the last good request before the window to the first good one after it: a budget must not be overdrawn, so the longest
 * downtime counts that the samples allow. A window that has not ended counts until now; one that an earlier process saw counts
 * as that process saw it.
 */
function spanOf({ run, probe }: StopSnapshot, { window, isEarlier }: JudgedFailure): Span {
  const { lastOkAt, firstBadAt, lastBadAt: last, firstOkAt } = window
  const from = lastOkAt ?? firstBadAt
  const since = isEarlier === true ? from : later(from, run.measuredSince ?? from)
  const known = isEarlier === true ? last : later(last, probe?.lastVerdictAt ?? last)
  return { from: since, to: firstOkAt ?? known }
}

const later = (a: WallMs, b: WallMs): WallMs => wallMs(Math.max(a, b))

function blamed(s: StopSnapshot, failures: readonly JudgedFailure[]): string {
  const amounts = failures.map((failure) => {
    const { from, to } = spanOf(s, failure)
    return { amount: to - from, ...present({ blame: failure.blame }) }
  })
  return blameText(amounts, formatDuration)
}

import { formatDuration } from '../../../ground/model/duration.ts'
import type { PlanFinding } from '../../../ground/model/plan-finding.ts'
import type { WallMs } from '../../../ground/model/time.ts'
import { zonedTimeText } from '../../../ground/model/zoned-time.ts'
import type { RollPlan, WindowForecast } from '../../model/roll-plan.ts'
import type { TimeSpan, TimeWindowSpec } from '../../model/time-window.ts'

interface Forecasting {
  readonly window: TimeWindowSpec
  /** The windows that end after `now`, in order. */
  readonly spans: readonly TimeSpan[]
  readonly now: WallMs
  readonly baselineMs: number
}

/**
 * Which nodes are expected to be done in which window. Each node has an estimate; nodes keep their order. If there are no
 * nodes: the window in which machines are begun.
 */
export function windowForecast(
  nodes: RollPlan['nodes'],
  { window, spans, now, baselineMs }: Forecasting,
): WindowForecast {
  const left = [...nodes]
  const windows = spans.flatMap((span, index) => {
    const isNeeded = left.length > 0 || (nodes.length === 0 && index === 0)
    if (!isNeeded) return []
    const isOpen = span.from <= now
    // Before a future window, the baseline has been measured already.
    let at = isOpen ? now + baselineMs : span.from
    const fit: string[] = []
    for (let next = left[0]; next !== undefined && at + (next.estimateMs ?? 0) <= span.to; next = left[0]) {
      at += next.estimateMs ?? 0
      fit.push(next.node)
      left.shift()
    }
    return [{ from: span.from, to: span.to, nodes: fit }]
  })
  return {
    zone: window.zone,
    onClose: window.onClose,
    isOpen: (spans[0]?.from ?? Number.POSITIVE_INFINITY) <= now,
    windows,
    later: left.map(({ node }) => node),
  }
}

/** What a roll that begins now would wait for, and nodes that fit in no window. */
export function windowFindings(
  nodes: RollPlan['nodes'],
  { window, spans, now, longestMs }: Omit<Forecasting, 'baselineMs'> & { readonly longestMs?: number },
): readonly PlanFinding[] {
  const [first] = spans
  if (first === undefined) {
    const fix = 'correct "window" in the file: "not" may cover all of "open"'
    return [{ severity: 'error', code: 'NoWindow', text: 'no time window opens in the next years', fix }]
  }
  const mostMs = longestMs ?? Math.max(...spans.map(({ from, to }) => to - from))
  const unfit = nodes.filter(({ estimateMs = 0 }) => estimateMs > mostMs)
  return [
    ...unfit.map(({ node, estimateMs = 0 }): PlanFinding => {
      const text = `${node} is expected to take ${formatDuration(estimateMs)}, and the longest time window takes ${formatDuration(mostMs)}`
      return { severity: 'block', code: 'WindowTooShort', node, text, fix: 'make the windows longer' }
    }),
    ...(first.from <= now ? [] : [closedNow(window, first, first.from - now)]),
  ]
}

function closedNow({ zone, waitLimitMs }: TimeWindowSpec, { from }: TimeSpan, awayMs: number): PlanFinding {
  const text = `no time window is open; the next one opens ${zonedTimeText(from, zone)}`
  if (waitLimitMs === undefined || waitLimitMs >= awayMs) return { severity: 'warning', code: 'WindowClosed', text }
  const limit = `, and the roll waits at most ${formatDuration(waitLimitMs)} (window.waitLimit)`
  return { severity: 'block', code: 'WindowClosed', text: `${text}${limit}`, fix: 'begin it then, or --ignore-window' }
}

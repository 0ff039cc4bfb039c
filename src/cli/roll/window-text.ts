import type { FailureClass } from '../../model/probe.ts'
import type { Blame } from '../../model/roll-event.ts'
import { countText } from '../text/count-text.ts'
import { boundsText, preciseTimeText } from '../text/time-text.ts'
import type { WindowView } from './roll-view.ts'

const CLASS_WORDS: Readonly<Record<FailureClass, string>> = {
  dns: 'name not resolved',
  connect: 'connect failed',
  tls: 'TLS failed',
  noResponse: 'no response',
  reset: 'connection reset',
  stale: 'kept connection closed',
  body: 'body cut off',
  stalledBody: 'body stalled',
  status: 'wrong status',
  content: 'wrong content',
}

/** Edges are known only as bounds: high is absent where no good request was seen on one side. */
export function windowBounds({ window }: Pick<WindowView, 'window'>): {
  readonly lowMs: number
  readonly highMs?: number
} {
  const lowMs = window.lastBadAt - window.firstBadAt
  if (window.lastOkAt === undefined || window.firstOkAt === undefined) return { lowMs }
  return { lowMs, highMs: window.firstOkAt - window.lastOkAt }
}

/** `6 of 16 failed in 0.30 to 0.34 s from 06:30:58.20Z`. */
export function windowSpanText(view: WindowView): string {
  const { window } = view
  const { lowMs, highMs } = windowBounds(view)
  return `${countText(window.failed)} of ${countText(window.sent)} failed in ${boundsText(lowMs, highMs)} from ${preciseTimeText(window.firstBadAt)}`
}

/** `lane new, connect failed (6)`, the most frequent class first. */
export function windowClassText({ window }: WindowView): string {
  const classes = Object.entries(window.failures).sort(([, a], [, b]) => b - a)
  const words = classes.map(([name, count]) => `${CLASS_WORDS[name as FailureClass] ?? name} (${countText(count)})`)
  return [`lane ${window.lane}`, ...words].join(', ')
}

/** Which step was most likely under way. */
export function blameText(blame: readonly Blame[]): string {
  const [first, ...more] = blame
  if (first === undefined) return 'no step overlaps'
  const named = `${first.node}, ${first.step}`
  if (more.length === 0) return `${named}; no other step overlaps`
  const others = more.slice(0, 3).map(({ node, step }) => `${node}, ${step}`)
  return `most likely ${named}; also possible: ${others.join('; ')}${more.length > 3 ? ` and ${more.length - 3} more` : ''}`
}

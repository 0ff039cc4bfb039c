import type { TimeSpan } from '../../src/roll/model/time-window.ts'
import type { TimeWindows } from '../../src/roll/ports/time-windows.ts'

/** These time windows and no others. */
export const fixedWindows = (spans: readonly TimeSpan[]): TimeWindows => ({
  spansFrom: (at, count) => spans.filter(({ to }) => to > at).slice(0, count),
  longestMs: (at) => Math.max(0, ...spans.filter(({ to }) => to > at).map(({ from, to }) => to - from)),
})

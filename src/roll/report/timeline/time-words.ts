import { formatDuration, formatMinSec } from '../../../ground/model/duration.ts'
import { preciseTimeText, timeText } from '../../../ground/text/time-text.ts'
import type { TimeScale } from './time-scale.ts'

/** `06:15:11Z to 06:16:01Z, 0:32 to 1:22 after the start, 50 s`: both clocks and the length. */
export function spanText({ startMs }: TimeScale, from: number, to: number): string {
  const clocks = `${timeText(from)} to ${timeText(to)}, ${formatMinSec(from - startMs)} to ${formatMinSec(to - startMs)} after the start`
  return `${clocks}, ${formatDuration(to - from)}`
}

export const momentText = ({ startMs }: TimeScale, at: number): string =>
  `${preciseTimeText(at)}, ${formatMinSec(at - startMs)} after the start`

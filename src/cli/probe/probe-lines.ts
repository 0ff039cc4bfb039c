import type { Histogram } from '../../core/availability/histogram.ts'
import { isExcused } from '../../core/availability/not-counted.ts'
import { formatMinSec } from '../../model/duration.ts'
import type { FailureWindow } from '../../model/probe.ts'
import type { Line } from '../terminal/style.ts'
import { countText } from '../text/count-text.ts'
import { boundsText, preciseTimeText } from '../text/time-text.ts'
import { failureWords } from './failure-words.ts'
import type { ProbeReading } from './probe-reading.ts'
import type { WindowNews } from './window-news.ts'

/** Whole milliseconds, as narrow columns need them. */
export const msText = (ms: number): string => (ms > 0 && ms < 0.5 ? '<1' : String(Math.round(ms)))

/** `2:03  12,300 sent  17 failed  now ok  p50 3  p99 11  max 48 ms  skipped 0` */
export function liveLine(reading: ProbeReading, latency: Histogram): Line {
  const { sent, failed, skipped, measuredMs } = reading
  const state = nowText(reading)
  const times = `p50 ${msText(latency.quantileMs(0.5))}  p99 ${msText(latency.quantileMs(0.99))}`
  const failedText = `${countText(failed)} failed`
  return [
    `${formatMinSec(measuredMs)}  ${countText(sent)} sent  `,
    failed === 0 ? failedText : { text: failedText, tone: 'stop' },
    '  now ',
    state === 'ok' ? state : { text: state, tone: state === 'failing' ? 'stop' : 'hold' },
    `  ${times}  max ${msText(latency.maxMs)} ms  skipped ${countText(skipped)}`,
  ]
}

function nowText({ facts, measuredMs, sent }: ProbeReading): 'starting' | 'ok' | 'failing' | 'not measured' {
  const until = facts.startedAt + measuredMs
  if (sent === 0) return 'starting'
  if (facts.notMeasured.some((gap) => gap.to >= until)) return 'not measured'
  return facts.windows.some((window) => !window.control && window.firstOkAt === undefined) ? 'failing' : 'ok'
}

/** `06:41:07.20Z  window 1: 17 failed in 0.32 to 0.36 s, new, connect refused` */
export function windowLine({ number, type, window }: WindowNews, reading: ProbeReading): Line {
  const lowMs = window.lastBadAt - window.firstBadAt
  const highMs =
    window.lastOkAt === undefined || window.firstOkAt === undefined ? undefined : window.firstOkAt - window.lastOkAt
  const span = type === 'opened' ? ' so far' : ` in ${boundsText(lowMs, highMs)}`
  return [
    `${preciseTimeText(window.firstBadAt)}  window ${number}${type === 'opened' ? ' opened' : ''}: `,
    { text: `${countText(window.failed)} failed`, tone: 'stop' },
    `${span}, ${whereText(window, reading)}${window.lane}, ${failureWords(window)}`,
    ...notCountedText(window),
  ]
}

function notCountedText(window: FailureWindow): readonly string[] {
  const { excused = 0 } = window
  if (excused === 0) return []
  return [isExcused(window) ? '; not counted: prober' : `; ${countText(excused)} of them not counted: prober`]
}

function whereText(window: FailureWindow, { targets }: ProbeReading): string {
  if (window.control) return 'control target, '
  return targets.filter((target) => !target.control).length > 1 ? `${window.target}, ` : ''
}

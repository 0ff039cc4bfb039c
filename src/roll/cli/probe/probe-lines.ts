import { formatMinSec } from '../../../ground/model/duration.ts'
import type { FailureWindow } from '../../../ground/model/probe.ts'
import { countOf, countText } from '../../../ground/text/count-text.ts'
import type { Line } from '../../../ground/text/terminal/style.ts'
import { boundsText, preciseTimeText } from '../../../ground/text/time-text.ts'
import { sureMs } from '../../decide/availability/downtime.ts'
import type { Histogram } from '../../decide/availability/histogram.ts'
import { isExcused } from '../../decide/availability/not-counted.ts'
import { asOutage, type Outage } from '../../decide/availability/outages.ts'
import type { OutageNews } from '../outage-teller.ts'
import { failureWords } from './failure-words.ts'
import type { ProbeReading } from './probe-reading.ts'

export type ProbeNews = OutageNews<{ readonly window: FailureWindow; readonly closed: boolean }>

/** Whole milliseconds, as narrow columns need them. */
export const msText = (ms: number): string => (ms > 0 && ms < 0.5 ? '<1' : String(Math.round(ms)))

/** `2:03  12,300 sent  17 failed  2 retried  now ok  p50 3  p99 11  max 48 ms  skipped 0` */
export function liveLine(reading: ProbeReading, latency: Histogram): Line {
  const { sent, failed, retried, skipped, measuredMs } = reading
  const state = nowText(reading)
  const times = `p50 ${msText(latency.quantileMs(0.5))}  p99 ${msText(latency.quantileMs(0.99))}`
  const failedText = `${countText(failed)} failed`
  return [
    `${formatMinSec(measuredMs)}  ${countText(sent)} sent  `,
    failed === 0 ? failedText : { text: failedText, tone: 'stop' },
    retried === 0 ? '' : `  ${countText(retried)} retried`,
    '  now ',
    state === 'ok' ? state : { text: state, tone: state === 'failing' ? 'stop' : 'hold' },
    `  ${times}  max ${msText(latency.maxMs)} ms  skipped ${countText(skipped)}`,
  ]
}

function nowText({ status, measuredMs, sent }: ProbeReading): 'starting' | 'ok' | 'failing' | 'not measured' {
  const until = status.startedAt + measuredMs
  if (sent === 0) return 'starting'
  if (status.notMeasured.some((gap) => gap.to >= until)) return 'not measured'
  return status.windows.some((window) => !window.control && window.firstOkAt === undefined) ? 'failing' : 'ok'
}

/**
 * `06:41:07.20Z  shop: 17 failed in 320 to 360 ms, new and kept, connect refused`; while it lasts `shop failing: 17 failed
 * so far`; several at once `shop: 9 failed in 7 windows over 0.80 to 0.84 s`.
 */
export function outageLine({ type, windows: [first, ...others], outages }: ProbeNews): Line {
  const all = [first.window, ...others.map(({ window }) => window)]
  const outage = asOutage(first.window, ...all.slice(1))
  const { lastOkAt, firstBadAt, firstOkAt } = outage
  const highMs = lastOkAt === undefined || firstOkAt === undefined ? undefined : firstOkAt - lastOkAt
  const times = outages === 1 ? 'in' : `in ${countOf(outages, 'window')} over`
  const span = type === 'opened' ? 'so far' : `${times} ${boundsText(sureMs(outage), highMs)}`
  const name = `${outage.control ? 'control target ' : ''}${outage.target}${type === 'opened' ? ' failing' : ''}`
  return [
    `${preciseTimeText(firstBadAt)}  ${name}: `,
    { text: `${countText(outage.failed)} failed`, tone: 'stop' },
    ` ${span}, ${outage.lanes.join(' and ')}, ${failureWords(outage)}`,
    ...notCountedText(outage),
  ]
}

function notCountedText(outage: Outage): readonly string[] {
  const { excused = 0 } = outage
  if (excused === 0) return []
  return [isExcused(outage) ? '; not counted: prober' : `; ${countText(excused)} of them not counted: prober`]
}

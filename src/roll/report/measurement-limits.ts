import { formatDuration } from '../../ground/model/duration.ts'
import { countOf, countText } from '../../ground/text/count-text.ts'
import { timeText } from '../../ground/text/time-text.ts'
import type { ReportDocument } from './report-document.ts'
import { smallestOutageText } from './verdict.ts'

/** What the figures cover and what they do not, one sentence each. */
export function measurementLimits(report: ReportDocument): readonly string[] {
  if (report.load === null) return ['No request was sent: whether the service was available is not known.']
  const { skippedSamples, notMeasured, settings, baseline } = report
  const gaps = notMeasured.map(
    ({ from, to, ms }) =>
      `For ${formatDuration(ms)} between ${timeText(Date.parse(from))} and ${timeText(Date.parse(to))} nothing was measured.`,
  )
  return [
    ...(gaps.length === 0 ? ['The prober measured without a gap.'] : gaps),
    skippedSamples === 0
      ? 'The prober sent every request on time.'
      : `The prober was late for ${countOf(skippedSamples, 'request')}. It did not send them, and they do not count as good.`,
    `${sentence(smallestOutageText(report))}.`,
    ...(settings?.probes.some(({ control }) => control) === true
      ? []
      : ['There is no control target, so a fault of the prober cannot be distinguished from a fault of the service.']),
    ...(baseline === null
      ? ['No baseline was measured: the normal state before the roll is not known.']
      : [baselineText(baseline)]),
    ...report.leftOut,
  ]
}

const baselineText = ({ sent, p99Ms }: { readonly sent: number; readonly p99Ms: number }): string =>
  `The baseline before the roll (${countText(sent)} requests, p99 ${Math.round(p99Ms)} ms) is not included in the figures above.`

const sentence = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`

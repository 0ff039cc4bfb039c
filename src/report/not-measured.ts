import { countOf, countText } from '../cli/text/count-text.ts'
import { timeText } from '../cli/text/time-text.ts'
import { formatDuration } from '../model/duration.ts'
import type { ReportDocument } from './report-document.ts'
import { smallestOutageText } from './verdict.ts'

/** What a reader must not conclude from the rest: one sentence each. */
export function notMeasuredTexts(report: ReportDocument): readonly string[] {
  if (report.load === null) return ['No request was sent: whether the service was available is not known.']
  const { skippedSamples, notMeasured, settings, baseline } = report
  const gaps = notMeasured.map(
    ({ from, to, ms }) =>
      `${formatDuration(ms)} between ${timeText(Date.parse(from))} and ${timeText(Date.parse(to))}: nothing was measured.`,
  )
  return [
    skippedSamples === 0
      ? 'No sample was skipped.'
      : `${countOf(skippedSamples, 'sample')} skipped: due while the prober was late, so not sent and not counted as good.`,
    ...(gaps.length === 0 ? ['No gap of the prober.'] : gaps),
    `${sentence(smallestOutageText(report))}.`,
    ...(settings?.probes.some(({ control }) => control) === true
      ? []
      : [
          'No control target is known: requests lost by the prober cannot be distinguished from requests lost by the service.',
        ]),
    ...(baseline === null ? ['No baseline: the normal state before the roll is not known.'] : [baselineText(baseline)]),
    ...report.leftOut,
  ]
}

const baselineText = ({ sent, p99Ms }: { readonly sent: number; readonly p99Ms: number }): string =>
  `The baseline before it (${countText(sent)} requests, p99 ${Math.round(p99Ms)} ms) is not among the requests above.`

const sentence = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`

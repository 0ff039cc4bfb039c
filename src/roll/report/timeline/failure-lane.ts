import { countText } from '../../../ground/text/count-text.ts'
import { boundsText, preciseTimeText } from '../../../ground/text/time-text.ts'
import { html, type Markup } from '../markup.ts'
import type { ReportDocument, ReportWindow } from '../report-document.ts'
import { causeText, failureTexts } from '../view/window-text.ts'
import { fillOf, patternOf, strokeOf, textPixels } from './drawing-parts.ts'
import { markGroup } from './mark.ts'
import { pixelAt, pixelsOf, placeOf, REFERENCE_PX, type TimeScale, widthOf } from './time-scale.ts'

export const LANE_ROW_PX = 30
const TOP = 2
const HEIGHT = LANE_ROW_PX - 4
const MERGED_PX = 3
/** Windows closer than this, at the reference width, are one mark with a count. */
const CLOSE_PX = 8

/** Numbered like the cards. */
type NumberedWindow = ReportWindow & { readonly number: number }

/** Each window with the number of its card. */
export const numberedWindows = ({ windows, outages }: ReportDocument): readonly NumberedWindow[] =>
  outages.flatMap((outage, index) =>
    outage.windows.flatMap((place) => {
      const window = windows[place]
      return window === undefined ? [] : [{ ...window, number: index + 1 }]
    }),
  )

/** `failed, new connections`. */
export const laneName = (lane: string): string => `failed, ${lane} connections`

/** The windows of one lane. None is dropped: windows that would be too narrow to see are widened and marked. */
export function failureMarks(windows: readonly NumberedWindow[], scale: TimeScale): readonly Markup[] {
  return clustersOf(windows, scale).map((cluster, index, all) => {
    const next = all[index + 1]?.[0]
    const roomPx = next === undefined ? REFERENCE_PX : pixelAt(scale, Date.parse(next.firstBadAt))
    return markGroup({
      kind: 'failure',
      windows: [...new Set(cluster.map(({ number }) => number))],
      lines: cluster.flatMap((window) => windowLines(window)),
      shape: html`${cluster.map((window) => windowShape(window, scale))}${narrowMark(cluster, scale)}${label(cluster, scale, roomPx)}`,
    })
  })
}

function clustersOf(windows: readonly NumberedWindow[], scale: TimeScale): readonly (readonly NumberedWindow[])[] {
  const clusters: NumberedWindow[][] = []
  for (const window of windows.toSorted((a, b) => Date.parse(a.firstBadAt) - Date.parse(b.firstBadAt))) {
    const last = clusters.at(-1)?.at(-1)
    const apart =
      last === undefined ? CLOSE_PX : pixelsOf(scale, Date.parse(last.lastBadAt), Date.parse(window.firstBadAt))
    if (apart < CLOSE_PX) clusters.at(-1)?.push(window)
    else clusters.push([window])
  }
  return clusters
}

/** Solid where requests failed, as high as their share; hatched where nothing is known. */
export function windowShape(window: ReportWindow, scale: TimeScale): Markup {
  const bad = Date.parse(window.firstBadAt)
  const lastBad = Date.parse(window.lastBadAt)
  const okBefore = window.lastOkAt === null ? scale.fromMs : Date.parse(window.lastOkAt)
  const okAfter = window.firstOkAt === null ? scale.toMs : Date.parse(window.firstOkAt)
  const share = window.sent === 0 ? 1 : window.failed / window.sent
  const height = Math.max(2, share * HEIGHT)
  const zone = (from: number, to: number, paint: Markup): Markup =>
    html`<rect x="${placeOf(scale, from)}" y="${TOP}" width="${widthOf(scale, from, to)}" height="${HEIGHT}" ${paint}/>`
  const single =
    bad === lastBad
      ? html`<rect x="${placeOf(scale, bad)}" y="${TOP}" width="2" height="${HEIGHT}" ${fillOf('fail')}/>`
      : ''
  return html`${zone(okBefore, bad, patternOf('hatch-fail'))}${zone(lastBad, okAfter, patternOf('hatch-fail'))}<rect x="${placeOf(scale, okBefore)}" y="${TOP}" width="${widthOf(scale, okBefore, okAfter)}" height="${HEIGHT}" fill="none" ${strokeOf('fail')}/><rect x="${placeOf(scale, bad)}" y="${round(TOP + HEIGHT - height)}" width="${widthOf(scale, bad, lastBad)}" height="${round(height)}" ${fillOf('fail')}/>${single}`
}

const round = (px: number): number => Number(px.toFixed(1))

/** Three pixels with a notch, so that it is not read as a duration. */
function narrowMark(cluster: readonly ReportWindow[], scale: TimeScale): Markup {
  const [first] = cluster
  if (first === undefined) return html``
  const until = Math.max(...cluster.map(({ lastBadAt }) => Date.parse(lastBadAt)))
  const from = Date.parse(first.firstBadAt)
  if (pixelsOf(scale, from, until) >= MERGED_PX) return html``
  return html`<rect data-wide="" x="${placeOf(scale, from)}" y="${TOP}" width="${MERGED_PX}" height="${HEIGHT - 6}" ${fillOf('fail')}/>`
}

function label(cluster: readonly ReportWindow[], scale: TimeScale, roomPx: number): Markup {
  const [first] = cluster
  if (first === undefined) return html``
  const text = cluster.length === 1 ? shortText(first) : clusterText(cluster)
  const from = Date.parse(first.firstBadAt)
  const until = Math.max(from, ...cluster.map(({ lastBadAt }) => Date.parse(lastBadAt)))
  const end = pixelAt(scale, until) + MERGED_PX + 5
  const fitsRight = end + textPixels(text) < Math.min(roomPx, REFERENCE_PX)
  const fitsLeft = !fitsRight && pixelAt(scale, from) > textPixels(text) + 10 && roomPx === REFERENCE_PX
  if (!fitsRight && !fitsLeft) return html``
  const [at, x, anchor] = fitsRight ? [until, MERGED_PX + 5, 'start'] : [from, -6, 'end']
  return html`<svg class="label" x="${placeOf(scale, at)}" overflow="visible"><text x="${x}" y="${TOP + HEIGHT / 2 + 4}" text-anchor="${anchor}" font-size="11" ${fillOf('text')}>${text}</text></svg>`
}

/** `6 of 16, 0.30 to 0.34 s`. */
const shortText = ({ failed, sent, lowMs, highMs }: ReportWindow): string =>
  `${countText(failed)} of ${countText(sent)}, ${boundsText(lowMs, highMs ?? undefined)}`

function clusterText(cluster: readonly ReportWindow[]): string {
  const failed = cluster.reduce((sum, window) => sum + window.failed, 0)
  const sent = cluster.reduce((sum, window) => sum + window.sent, 0)
  return `${cluster.length} windows, ${countText(failed)} of ${countText(sent)}`
}

function windowLines(window: ReportWindow): readonly string[] {
  return [
    `Failure window, ${window.lane} connections, from ${preciseTimeText(Date.parse(window.firstBadAt))}`,
    shortText(window),
    `${failureTexts(window.failures).join(', ')}; first error: ${window.firstError}`,
    causeText(window),
    ...(window.excused
      ? ['a control target failed too: not counted against the roll']
      : window.excusedRequests > 0
        ? [`${countText(window.excusedRequests)} of them with a control target that failed too: not counted`]
        : []),
  ]
}

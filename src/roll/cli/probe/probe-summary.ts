import { formatDuration } from '../../../ground/model/duration.ts'
import type { LaneSummary, ProbeTarget } from '../../../ground/model/probe.ts'
import { countOf, countText } from '../../../ground/text/count-text.ts'
import { type Column, tableLines } from '../../../ground/text/table-lines.ts'
import { boundsText } from '../../../ground/text/time-text.ts'
import { wrapWords } from '../../../ground/text/wrap-words.ts'
import { shareText } from '../../decide/availability/confidence.ts'
import { excusedOf } from '../../decide/availability/not-counted.ts'
import { msText } from './probe-lines.ts'
import type { ProbeReading } from './probe-reading.ts'

const COLUMNS: readonly Column[] = [
  { title: 'lane', align: 'left' },
  ...['sent', 'failed', 'share', 'p50', 'p90', 'p99', 'max ms', 'slow', 'skipped'].map(
    (title): Column => ({ title, align: 'right' }),
  ),
]
const CELLS = 80
const MOST_NAMED = 20

/** The result of a probe for people. Empty parts are left out. */
export function probeSummary(reading: ProbeReading, failedAt1Hz: number): readonly string[] {
  const targets = reading.targets.filter((target) => !target.control)
  return [
    ...targets.flatMap((target) => targetLines(target, reading)),
    ...servedByLines(reading),
    ...noteLines(reading, failedAt1Hz).map((line) => `  ${line}`),
  ]
}

function targetLines(target: ProbeTarget, reading: ProbeReading): readonly string[] {
  const lanes = reading.lanes.filter((lane) => lane.target === target.name)
  const sent = lanes.reduce((sum, lane) => sum + lane.sent, 0)
  const failed = lanes.reduce((sum, lane) => sum + countedIn(lane, reading), 0)
  const took = formatDuration(reading.measuredMs)
  const head = `${countText(failed)} failed of ${countOf(sent, 'request')} in ${took} (${shareText(failed, sent)})`
  return [
    `${head}  ${target.name}`,
    ...tableLines(
      COLUMNS,
      lanes.map((lane) => laneRow(lane, countedIn(lane, reading))),
    ),
  ]
}

/** Failed requests of a lane that no control excuses. */
function countedIn({ target, lane, failed }: LaneSummary, { status }: ProbeReading): number {
  return failed - excusedOf(status.windows.filter((window) => window.target === target && window.lane === lane))
}

function laneRow(lane: LaneSummary, counted: number): readonly string[] {
  const none = lane.sent === lane.failed
  const times = [lane.p50Ms, lane.p90Ms, lane.p99Ms, lane.maxMs].map((ms) => (none ? '-' : msText(ms)))
  return [
    lane.lane,
    countText(lane.sent),
    countText(counted),
    shareText(counted, lane.sent),
    ...times,
    countText(lane.slow),
    countText(lane.skipped),
  ]
}

/** The names with the most answers, where there are many. */
function servedByLines({ status }: ProbeReading): readonly string[] {
  const named = Object.entries(status.servedBy ?? {})
  if (named.length === 0) return []
  const most = named.length <= MOST_NAMED ? named : named.toSorted(([, a], [, b]) => b - a).slice(0, MOST_NAMED)
  const rest = named.length - most.length
  const words = most.map(([name, count]) => `${name.replaceAll(' ', '_')} ${countText(count)}`)
  const text = [...words, ...(rest > 0 ? [`and ${countText(rest)} more`] : [])]
  return wrapPieces('  served by  ', text)
}

function wrapPieces(lead: string, pieces: readonly string[]): readonly string[] {
  const lines: string[] = []
  for (const piece of pieces) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + 3 + piece.length <= CELLS) lines[lines.length - 1] = `${last}   ${piece}`
    else lines.push(`${last === undefined ? lead : ' '.repeat(lead.length)}${piece}`)
  }
  return lines
}

function noteLines(reading: ProbeReading, failedAt1Hz: number): readonly string[] {
  const { lanes, failed, control, held, downtime, notMeasuredMs, notCountedFailed, retried, skipped } = reading
  const notes: string[] = []
  if (failed > 0) {
    const open = held.some((window) => window.firstOkAt === undefined)
    const span = boundsText(downtime.lowMs, open ? undefined : downtime.highMs)
    const atOnce = `a check once a second counts ${Number(failedAt1Hz.toFixed(1))}`
    notes.push(`downtime   ${span} in ${countOf(held.length, 'window')}; ${atOnce}`)
  }
  if (notCountedFailed > 0) {
    notes.push(`not counted   ${countText(notCountedFailed)} failed while the control target failed too: prober`)
  }
  if (retried > 0) {
    const kept = lanes.reduce((sum, { lane, sent }) => sum + (lane === 'kept' ? sent : 0), 0)
    notes.push(`retried   ${countText(retried)} of ${countText(kept)} over kept connections; the second result counts`)
  }
  if (control !== undefined)
    notes.push(
      `control target   ${countText(control.failed)} failed of ${countText(control.sent)}${
        control.isGreen ? '' : '; it was not green at first, so it excuses nothing'
      }`,
    )
  const gaps = notMeasuredMs > 0 ? [formatDuration(notMeasuredMs)] : []
  const late = skipped > 0 ? [`${countOf(skipped, 'sample')} skipped`] : []
  if (gaps.length + late.length > 0) notes.push(`not measured   ${[...gaps, ...late].join('; ')}`)
  return notes.flatMap((note) => wrapWords(note, CELLS - 2))
}

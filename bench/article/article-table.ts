import type { PlanRun } from './plan-runs.ts'
import type { StreamDocument } from './stream-document.ts'

const HEAD = ['plan', 'stream', 'sent', 'failed (new / kept)', 'share', 'windows', '1/s', 'strays', 's', 'note']
const WINDOWS_SHOWN = 4

/** The comparison as a table that Markdown reads too, one line a stream. */
export function articleTable(runs: readonly PlanRun[]): string {
  const rows = runs.flatMap((run) => Object.entries(run.streams).map(([name, stream]) => row(run, name, stream)))
  return markdownTable(HEAD, rows)
}

export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

function row(run: PlanRun, name: string, stream: StreamDocument): readonly string[] {
  const failed = (lane: string): number =>
    stream.lanes.filter((one) => one.lane === lane).reduce((sum, one) => sum + one.failed, 0)
  return [
    run.plan.startsWith('evenkeel') ? `${run.plan} ${run.run}` : run.plan,
    name,
    String(stream.sentRequests),
    `${stream.failedRequests} (${failed('new')} / ${failed('kept')})`,
    shareText(stream),
    windowsText(stream),
    String(stream.failedAt1Hz),
    run.plan.startsWith('evenkeel') ? String(Math.max(run.strays, run.outcome?.strays ?? 0)) : '-',
    run.seconds.toFixed(1),
    noteText(run),
  ]
}

type Counted = Pick<StreamDocument, 'failedRequests' | 'sentRequests'>

/** Zero of n is not zero: with 95 % confidence it is below 3/n. */
export function shareText({ failedRequests, sentRequests }: Counted): string {
  if (failedRequests === 0) return `< ${(300 / sentRequests).toFixed(3)} %`
  return `${((100 * failedRequests) / sentRequests).toFixed(2)} %`
}

function windowsText({ windows }: StreamDocument): string {
  if (windows.length === 0) return 'none'
  const seconds = (ms: number | undefined): string => (ms === undefined ? '?' : (ms / 1_000).toFixed(2))
  const longest = windows
    .toSorted((a, b) => b.lowMs - a.lowMs)
    .slice(0, WINDOWS_SHOWN)
    .map(({ lane, lowMs, highMs }) => `${lane} ${seconds(lowMs)} to ${seconds(highMs)} s`)
  return `${windows.length}${windows.length > WINDOWS_SHOWN ? ', the longest' : ''}: ${longest.join(', ')}`
}

function noteText({ outcome, ...run }: PlanRun): string {
  const notes = [
    ...(run.void ? ['void: the judge skipped more than 0.1 %'] : []),
    ...(outcome === undefined || outcome.code === 0 ? [] : [`ended with ${outcome.code}`]),
    ...(outcome?.warnings ?? []).map((code) => `plan warned: ${code}`),
    ...(outcome?.leftovers ?? []).map((left) => `left behind: ${left}`),
  ]
  return notes.join('; ')
}

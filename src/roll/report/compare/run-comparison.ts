import { formatDuration, formatMinSec } from '../../../ground/model/duration.ts'
import { countText } from '../../../ground/text/count-text.ts'
import { STEPS, type Step } from '../../model/step.ts'
import { latencyOver } from '../document/latency-over.ts'
import { latencyText } from '../latency-text.ts'
import type { NodeDocument, ReportDocument } from '../report-document.ts'
import { failedOfSent, outcomeWord, verdictFacts, whyOf } from '../verdict.ts'

/** Two runs, in the order in which they were named. */
export type RunPair = readonly [first: ReportDocument, second: ReportDocument]

export interface ComparedRow {
  readonly name: string
  readonly values: readonly [string, string]
  /** The second run compared with the first, where both are known. */
  readonly change: string
  /** For a bar beside each value; absent where a value is no duration. */
  readonly lengthsMs?: readonly [number | undefined, number | undefined]
}

interface Comparison {
  readonly verdicts: readonly ComparedRow[]
  readonly nodes: readonly ComparedRow[]
  readonly steps: readonly ComparedRow[]
}

const FACTS = ['Downtime', 'Strays', 'Longest hold'] as const

/** The figures of two runs, side by side. The order of rows never depends on the result. */
export function comparisonOf(pair: RunPair): Comparison {
  const names = [...new Set(pair.flatMap(({ nodes }) => nodes.map(({ name }) => name)))]
  return {
    verdicts: verdictRows(pair),
    nodes: names.map((name) =>
      timeRow(
        name,
        both(pair, (report) => nodeMs(report, name)),
      ),
    ),
    steps: STEPS.map((step) =>
      timeRow(
        step,
        both(pair, (report) => typicalMs(report, step)),
      ),
    ),
  }
}

const both = <T>([first, second]: RunPair, of: (report: ReportDocument) => T): readonly [T, T] => [
  of(first),
  of(second),
]

function verdictRows(pair: RunPair): readonly ComparedRow[] {
  const facts = both(pair, (report) => new Map(verdictFacts(report).map(({ name, value }) => [name, value])))
  return [
    plain('Verdict', both(pair, outcomeWord)),
    plain(
      'Why',
      both(pair, (report) => report.reasons[0]?.text ?? whyOf(report)),
    ),
    plain(
      'Began',
      both(pair, ({ startedAt }) => startedAt ?? '?'),
    ),
    timeRow('Time', both(pair, tookMs), formatDuration),
    plain('Nodes', both(pair, nodesText)),
    plain('Failed requests', both(pair, failedOfSent)),
    ...FACTS.map((name) => plain(name, [facts[0].get(name) ?? '-', facts[1].get(name) ?? '-'])),
    ...(['p50Ms', 'worstP99Ms', 'maxMs'] as const).map((name) => latencyRow(name, pair)),
    plain(
      'Version',
      both(pair, ({ tool }) => tool ?? '-'),
    ),
    plain(
      'Reason',
      both(pair, ({ reason }) => reason ?? '-'),
    ),
  ]
}

const plain = (name: string, values: readonly [string, string]): ComparedRow => ({ name, values, change: '' })

const nodesText = ({ nodes }: ReportDocument): string => {
  const done = nodes.filter(({ standing }) => standing?.state === 'inService').length
  return `${countText(done)} of ${countText(nodes.length)} in service`
}

const LATENCY_NAMES = { p50Ms: 'Latency p50', worstP99Ms: 'Latency, worst p99', maxMs: 'Latency max' } as const

function latencyRow(name: keyof typeof LATENCY_NAMES, pair: RunPair): ComparedRow {
  const values = both(pair, ({ latency }) =>
    latency === null ? null : latencyOver(latency, 0, Number.POSITIVE_INFINITY)[name],
  )
  const [first, second] = values
  const change = first === null || second === null ? '' : changeText(second - first, latencyText)
  return { name: LATENCY_NAMES[name], values: [latencyText(first), latencyText(second)], change }
}

const tookMs = ({ startedAt, lastAt }: ReportDocument): number | undefined =>
  startedAt === null ? undefined : Date.parse(lastAt) - Date.parse(startedAt)

const nodeMs = ({ nodes }: ReportDocument, name: string): number | undefined =>
  nodes.find((node) => node.name === name)?.times?.totalMs

/** The median of all nodes: a single node that was held does not represent the others. */
function typicalMs(report: ReportDocument, step: Step): number | undefined {
  const times = report.nodes.flatMap((node) => stepMs(node, { step, until: report.lastAt })).sort((a, b) => a - b)
  return times[Math.floor(times.length / 2)]
}

function stepMs({ steps }: NodeDocument, of: { readonly step: Step; readonly until: string }): readonly number[] {
  const own = steps.filter(({ step }) => step === of.step)
  if (own.length === 0) return []
  return [own.reduce((sum, { startedAt, endedAt }) => sum + Date.parse(endedAt ?? of.until) - Date.parse(startedAt), 0)]
}

function timeRow(
  name: string,
  lengthsMs: readonly [number | undefined, number | undefined],
  format: (ms: number) => string = formatMinSec,
): ComparedRow {
  const [first, second] = lengthsMs
  const text = (ms: number | undefined): string => (ms === undefined ? '-' : format(ms))
  const change = first === undefined || second === undefined ? '' : changeText(second - first, format)
  return { name, values: [text(first), text(second)], change, lengthsMs }
}

function changeText(ms: number, format: (ms: number) => string): string {
  const size = format(Math.abs(ms))
  if (size === format(0)) return 'same'
  return `${ms > 0 ? '+' : '−'}${size}`
}

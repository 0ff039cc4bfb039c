import { thinnedColumns } from './document/load-columns.ts'
import { htmlReport } from './html-report.ts'
import { thinnedLatency } from './latency-report.ts'
import type { ReportDocument } from './report-document.ts'

interface FittedReport {
  readonly html: string
  readonly bytes: number
  /** Over what a page should be; for people. */
  readonly warning?: string
}

interface SizeLimits {
  readonly warnBytes: number
  readonly mostBytes: number
}

const SIZE_LIMITS: SizeLimits = { warnBytes: 2_000_000, mostBytes: 5_000_000 }

/** What goes, in this order, until the page is small enough. Windows, steps and reasons always stay. */
const REDUCTIONS: readonly ((report: ReportDocument) => ReportDocument)[] = [
  (report) => slower(report, 10_000),
  (report) => slower(report, 60_000),
  (report) => ({
    ...report,
    nodes: report.nodes.map((node) => ({ ...node, pods: [] })),
    leftOut: [...report.leftOut, 'The names of evicted pods are left out to keep this page small.'],
  }),
]

/**
 * The page, no larger than it may be as far as that can be had.
 *
 * Law: no failure is dropped from a report.
 */
export function fittedReport(report: ReportDocument, limits: SizeLimits = SIZE_LIMITS): FittedReport {
  let shown = report
  let html = htmlReport(shown)
  for (const reduce of REDUCTIONS) {
    if (Buffer.byteLength(html) <= limits.mostBytes) break
    shown = reduce(shown)
    html = htmlReport(shown)
  }
  const bytes = Buffer.byteLength(html)
  if (bytes <= limits.warnBytes) return { html, bytes }
  return { html, bytes, warning: `the page has ${(bytes / 1_000_000).toFixed(1)} MB; a browser may be slow with it` }
}

function slower(report: ReportDocument, everyMs: number): ReportDocument {
  const { load, latency } = report
  const columns = latency?.columns
  const text = `Load and latency are given per ${everyMs / 1000} s to keep this page small.`
  return {
    ...report,
    load: load === null ? null : thinnedColumns(load, everyMs),
    latency:
      latency === null || columns === undefined ? latency : { ...latency, columns: thinnedLatency(columns, everyMs) },
    leftOut: [...report.leftOut.filter((one) => !one.startsWith('Load and latency')), text],
  }
}

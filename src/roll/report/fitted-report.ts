import { thinnedLatency } from './document/latency-columns.ts'
import { thinnedColumns } from './document/load-columns.ts'
import { htmlReport } from './html-report.ts'
import type { ReportDocument } from './report-document.ts'

export interface FittedPage {
  readonly html: string
  readonly bytes: number
  /** The page is larger than it should be; a text for people. */
  readonly warning?: string
}

interface SizeLimits {
  readonly warnBytes: number
  readonly mostBytes: number
}

const SIZE_LIMITS: SizeLimits = { warnBytes: 2_000_000, mostBytes: 5_000_000 }

/** What is left out, in this order, until the page is small enough. Windows, steps and reasons always stay. */
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
 * The page of one report, within the size limit if that is possible.
 *
 * Law: no failure is dropped from a report.
 */
export const fittedReport = (report: ReportDocument, limits: SizeLimits = SIZE_LIMITS): FittedPage =>
  fittedPage([report], ([shown = report]) => htmlReport(shown), limits)

/** A page that is made from several reports, all reduced in the same way. */
export function fittedPage<Reports extends readonly ReportDocument[]>(
  reports: Reports,
  page: (reports: Reports) => string,
  limits: SizeLimits = SIZE_LIMITS,
): FittedPage {
  let shown = reports
  let html = page(shown)
  for (const reduce of REDUCTIONS) {
    if (Buffer.byteLength(html) <= limits.mostBytes) break
    // A mapped tuple has the length of the tuple.
    shown = shown.map(reduce) as readonly ReportDocument[] as Reports
    html = page(shown)
  }
  const bytes = Buffer.byteLength(html)
  if (bytes <= limits.warnBytes) return { html, bytes }
  return { html, bytes, warning: `the page has ${(bytes / 1_000_000).toFixed(1)} MB; a browser may be slow with it` }
}

function slower(report: ReportDocument, everyMs: number): ReportDocument {
  const { load, latency } = report
  const text = `Load and latency are given per ${everyMs / 1000} s to keep this page small.`
  return {
    ...report,
    load: load === null ? null : thinnedColumns(load, everyMs),
    latency: latency === null ? null : thinnedLatency(latency, everyMs),
    leftOut: [...report.leftOut.filter((one) => !one.startsWith('Load and latency')), text],
  }
}

import type { CliContext } from '../../cli/cli-context.ts'
import { WorldError } from '../../ground/model/world-error.ts'
import type { TextSink } from '../../ground/text/terminal/text-sink.ts'
import { type FittedPage, fittedReport } from '../report/fitted-report.ts'
import type { Judged } from '../report/plan-result.ts'
import { reportDocument } from '../report/report-document.ts'
import type { RollHistory } from './roll-actions.ts'

export interface ReportFile {
  readonly path: string
  readonly sink: TextSink
}

/** Opened first, so that a path that cannot be written is reported before anything else. */
export const reportFile = ({ openFile }: CliContext, path: string): ReportFile => ({ path, sink: openFile(path) })

/** Writes the roll as one page; resolves with a text about it. Rejects with WorldError where the file cannot be written. */
export async function writeReport(
  history: RollHistory & { readonly judged?: Judged },
  file: ReportFile,
): Promise<string> {
  return writePage(fittedReport(reportDocument(history)), file)
}

/** Resolves with a text about the file. Rejects with WorldError where it cannot be written. */
export async function writePage({ html, warning }: FittedPage, { path, sink }: ReportFile): Promise<string> {
  sink.write(html)
  await sink.flushed()
  if (sink.failure !== undefined) {
    throw new WorldError(`${path} is not whole: ${sink.failure}`, { code: 'FILE_NOT_WRITTEN', retry: 'never' })
  }
  return `wrote ${path}${warning === undefined ? '' : `\nwarning: ${warning}`}`
}

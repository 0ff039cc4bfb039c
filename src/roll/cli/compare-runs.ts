import type { CliContext } from '../../cli/cli-context.ts'
import { shownJson } from '../../ground/model/foreign-text.ts'
import { evenkeel, plainly, say } from '../../ground/model/sentence.ts'
import { UserError } from '../../ground/model/user-error.ts'
import { comparePage } from '../report/compare/compare-page.ts'
import { compareLines, compareMarkdown } from '../report/compare/compare-text.ts'
import type { RunPair } from '../report/compare/run-comparison.ts'
import { fittedPage } from '../report/fitted-report.ts'
import { type ReportDocument, reportDocument } from '../report/report-document.ts'
import type { RollActions } from './roll-actions.ts'
import { placeOf, type ReportFlags } from './roll-options.ts'
import { reportFile, writePage } from './write-report.ts'

interface CompareAsk {
  readonly runs: readonly string[]
  readonly flags: ReportFlags
}

/** Two runs side by side, from their journals. */
export async function compareCommand(
  context: CliContext,
  load: () => Promise<RollActions>,
  { runs, flags }: CompareAsk,
): Promise<number> {
  const [first, second] = runs
  if (first === undefined || second === undefined || runs.length > 2) {
    throw new UserError(`--compare needs two runs, not ${runs.length}`, {
      code: 'usage.compare',
      fix: say`name both runs: ${evenkeel`roll report --compare RUN RUN`}`,
    })
  }
  if (flags.output === 'jsonl' || flags.output === 'otlp') {
    const what = flags.output === 'jsonl' ? 'events' : 'spans'
    throw new UserError(`-o ${flags.output} prints the ${what} of one run; --compare reads two`, {
      code: 'usage.compare',
      fix: 'use -o json, -o text or -o markdown',
    })
  }
  const actions = await load()
  const read = async (run: string): Promise<ReportDocument> =>
    reportDocument(await actions.history({ ...placeOf(flags), run }))
  const pair = await Promise.all([read(first), read(second)])
  if (flags.html !== undefined) {
    context.err.write(
      `${await writePage(
        fittedPage(pair, (fitted) => comparePage(fitted)),
        reportFile(context, flags.html),
      )}\n`,
    )
  }
  context.out.write(resultText(pair, flags.output))
  return 0
}

function resultText(pair: RunPair, output: 'text' | 'json' | 'markdown'): string {
  switch (output) {
    case 'json':
      return `${shownJson({ v: '1.0', runs: pair }, plainly, 2)}\n`
    case 'markdown':
      return compareMarkdown(pair)
    case 'text':
      return `${compareLines(pair).join('\n')}\n`
  }
}

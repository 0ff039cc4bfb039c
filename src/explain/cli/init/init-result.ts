import type { CliContext } from '../../../cli/cli-context.ts'
import { resultStyle } from '../../../cli/output-options.ts'
import { shownJson } from '../../../ground/model/foreign-text.ts'
import { type BlockRow, blockLines } from '../../../ground/text/labelled-block.ts'
import { tableLines } from '../../../ground/text/table-lines.ts'
import { paintLines } from '../../../ground/text/terminal/style.ts'
import type { RollProposal } from '../../decide/init/roll-proposal.ts'
import type { Taken } from './ask-questions.ts'
import type { InitFlags } from './init-flags.ts'
import type { Texts } from './init-texts.ts'

export interface InitResult extends Pick<RollProposal, 'found' | 'leftOut' | 'isComplete' | 'kured'> {
  readonly context: string
  readonly answers: Taken['answers']
  readonly file: string
  readonly rights: string
  readonly schedule?: string
  /** Of the chart. */
  readonly values?: string
  /** Files that existed, and their new names. */
  readonly kept: readonly { readonly path: string; readonly kept: string }[]
  readonly next: readonly string[]
  readonly texts: Texts
}

/** What was found, left out and assumed, and what to type next. With `-o yaml`, stdout has only the files. */
export function writeResult(context: CliContext, flags: InitFlags, result: InitResult): void {
  const { out, err } = context
  if (flags.output === 'json') {
    const { texts: _, ...document } = result
    out.write(`${shownJson(document, null, 2)}\n`)
    return
  }
  if (flags.output === 'yaml') {
    const { roll, rights, schedule, values } = result.texts
    out.write([roll, rights, schedule, values].filter((text) => text !== undefined).join('---\n'))
  }
  const sink = flags.output === 'yaml' ? err : out
  const style = resultStyle(flags, context.terminal)
  const lines = blockLines({ ...titleOf(flags, result), rows: rowsOf(result) }, sink.size().columns)
  sink.write(paintLines(lines, style))
  if (result.kured !== undefined) sink.write(kuredTable(result.kured))
}

/** What became of each flag of kured. */
function kuredTable(rows: NonNullable<InitResult['kured']>): string {
  if (rows.length === 0) return '\nkured has its defaults: no flag is set.\n'
  const columns = ['FLAG OF KURED', 'VALUE', 'IN THE ROLL FILE', 'WHY'].map(
    (title) => ({ title, align: 'left' }) as const,
  )
  const texts = rows.map(({ flag, value, as = '-', why }) => [flag, shortened(value), as, why])
  return `\n${tableLines(columns, texts).join('\n')}\n`
}

const VALUE_CELLS = 40

const shortened = (value: string): string =>
  value.length > VALUE_CELLS ? `${value.slice(0, VALUE_CELLS - 3)}...` : value

function titleOf({ output }: InitFlags, { file, rights, schedule, values, context }: InitResult) {
  const more = schedule === undefined ? '' : `; a RollSchedule: ${schedule}, with values of the chart: ${values}`
  if (output === 'yaml')
    return { word: 'PRINTED', title: `roll file and rights for ${context}${more}; no file is written` }
  return { word: 'WRITTEN', title: `${file} for ${context}, and its rights: ${rights}${more}` }
}

function rowsOf({ found, leftOut, answers, kept, next, isComplete }: InitResult): readonly BlockRow[] {
  const assumed = answers
    .filter(({ by }) => by === 'default')
    .map(({ about, answer }) => `${about}: ${answer || 'not known'}`)
  const rows: BlockRow[] = [
    { label: 'found', texts: found },
    { label: 'left out', texts: leftOut.map(({ what, why }) => `${what}: ${why}`) },
    { label: 'assumed', texts: assumed },
    { label: 'kept', texts: kept.map(({ path, kept: as }) => `${path} as it was: ${as}`) },
    {
      label: 'missing',
      texts: isComplete
        ? []
        : ['The plan needs nodes and a balancer, or nodes.allowUnbalanced. Edit the file, or run init again.'],
    },
    { label: 'next', texts: next.map((command) => ({ command, note: '' })) },
  ]
  return rows.filter(({ texts }) => texts.length > 0)
}

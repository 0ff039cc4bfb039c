import { shownJson } from '../ground/model/foreign-text.ts'
import { plainly } from '../ground/model/sentence.ts'
import type { PasteOptions } from '../ground/text/paste.ts'
import { type Line, paintLines } from '../ground/text/terminal/style.ts'
import type { CliContext } from './cli-context.ts'
import { type OutputFlags, resultStyle } from './output-options.ts'
import { withErrorDocument } from './with-error-document.ts'

/** What came of a command that reads or writes once. */
export interface Result {
  readonly code: number
  /** For people. */
  readonly lines: (columns: number) => readonly Line[]
  /** For machines. */
  readonly document: object
}

export interface ResultFlags extends PasteOptions, Pick<OutputFlags, 'color' | 'ascii'> {
  readonly output: 'text' | 'json'
}

interface Caller {
  readonly context: CliContext
  readonly exitWith: (code: number) => void
}

/** What a command is made with: its actions, which are loaded when it runs, and where its output and its exit code go. */
export interface Wired<Actions> extends Caller {
  readonly load: () => Promise<Actions>
}

/** Does the work and prints its result in the form that was asked for. */
export async function printResult(
  { context, exitWith }: Caller,
  flags: ResultFlags,
  work: () => Promise<Result>,
): Promise<void> {
  const code = await withErrorDocument(context, flags, async () => {
    const result = await work()
    const { out, terminal } = context
    const text =
      flags.output === 'json'
        ? `${shownJson(result.document, plainly, 2)}\n`
        : paintLines(result.lines(out.size().columns), resultStyle(flags, terminal))
    out.write(text)
    return result.code
  })
  exitWith(code)
}

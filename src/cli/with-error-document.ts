import { shownJson } from '../ground/model/foreign-text.ts'
import { plainText } from '../ground/model/sentence.ts'
import { BlockedError, UserError } from '../ground/model/user-error.ts'
import { WorldError } from '../ground/model/world-error.ts'
import { type Paste, type PasteOptions, pasteWith } from '../ground/text/paste.ts'
import type { CliContext } from './cli-context.ts'
import type { OutputForm } from './output-options.ts'

interface ErrorFlags extends PasteOptions {
  readonly output: OutputForm
}

/**
 * Runs `work`. If it fails for a reason that is no bug, and stdout is for machines, that reason is the document. For people the
 * error is also printed on stderr, where it is caught.
 */
export async function withErrorDocument(
  { out }: CliContext,
  flags: ErrorFlags,
  work: () => Promise<number>,
): Promise<number> {
  const { output } = flags
  try {
    return await work()
  } catch (thrown) {
    const error = withPastedFix(thrown, pasteWith(flags))
    const document = documentOf(error)
    if ((output === 'json' || output === 'jsonl') && document !== undefined) {
      out.write(`${shownJson({ error: document }, null, output === 'json' ? 2 : 0)}\n`)
    }
    throw error
  }
}

/** A command in a fix needs the options of this one. Details were completed where they were made. */
function withPastedFix(error: unknown, paste: Paste): unknown {
  if (!(error instanceof UserError) || error.fix === undefined) return error
  const { message, code, details, cause } = error
  const Kind = error instanceof BlockedError ? BlockedError : UserError
  return new Kind(message, { code, fix: paste(error.fix), details, cause })
}

function documentOf(error: unknown): object | undefined {
  if (error instanceof UserError) {
    const { code, message, fix, details } = error
    return {
      code,
      message,
      ...(fix === undefined ? {} : { fix: plainText(fix) }),
      ...(details.length === 0 ? {} : { details }),
    }
  }
  return error instanceof WorldError ? { code: error.code, message: error.message } : undefined
}

import { UserError } from '../model/user-error.ts'
import { WorldError } from '../model/world-error.ts'
import type { CliContext } from './cli-context.ts'
import type { OutputForm } from './roll-options.ts'

/**
 * Runs `work`; where it fails for a reason that is no bug, and stdout is for machines, that reason is the document. People
 * are printed on stderr as well, where the error that is thrown on is caught.
 */
export async function withErrorDocument(
  { out }: CliContext,
  output: OutputForm,
  work: () => Promise<number>,
): Promise<number> {
  try {
    return await work()
  } catch (error) {
    const document = documentOf(error)
    if ((output === 'json' || output === 'jsonl') && document !== undefined) {
      out.write(`${JSON.stringify({ error: document }, null, output === 'json' ? 2 : 0)}\n`)
    }
    throw error
  }
}

function documentOf(error: unknown): object | undefined {
  if (error instanceof UserError) {
    const { code, message, fix, details } = error
    return { code, message, ...(fix === undefined ? {} : { fix }), ...(details.length === 0 ? {} : { details }) }
  }
  return error instanceof WorldError ? { code: error.code, message: error.message } : undefined
}

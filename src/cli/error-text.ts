import { escapeForeign } from '../ground/model/foreign-text.ts'
import { present } from '../ground/model/present.ts'
import { UserError } from '../ground/model/user-error.ts'
import { WorldError } from '../ground/model/world-error.ts'
import { findingText, fixLines } from '../ground/text/finding-text.ts'
import { InterruptedError } from './interrupts.ts'

const SHOWN_MAX = 2000

/**
 * An error for people. Only a bug has a stack, and the text says that it is a bug. Details are ready to print (their carets
 * must stay in place) and were escaped where they were made.
 */
export function errorText(error: unknown): string {
  if (error instanceof UserError) return userErrorText(error)
  if (error instanceof WorldError) return `${findingText('error', { code: error.code, text: error.message })}\n`
  if (error instanceof InterruptedError) return 'INTERRUPTED  nothing was under way\n'
  return bugText(error)
}

function userErrorText({ code, message, fix, details }: UserError): string {
  if (details.length === 0) return `${findingText('error', { code, text: message, ...present({ fix }) })}\n`
  return `${[...details, escapeForeign(message, SHOWN_MAX), ...fixLines(fix)].join('\n')}\n`
}

function bugText(error: unknown): string {
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error)
  const lines = stack.split('\n').map((line) => escapeForeign(line, SHOWN_MAX))
  return `error: this is a bug in evenkeel, not a fault of yours; nothing more was done\n${lines.join('\n')}\n`
}

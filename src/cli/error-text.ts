import { escapeForeign } from '../ground/model/foreign-text.ts'
import { plainText } from '../ground/model/sentence.ts'
import { UserError } from '../ground/model/user-error.ts'
import { WorldError } from '../ground/model/world-error.ts'
import { InterruptedError } from './interrupts.ts'

const SHOWN_MAX = 2000

/**
 * An error for people. Only a bug has a stack, and the text says that it is a bug. Details are ready to print (their carets
 * must stay in place) and were escaped where they were made.
 */
export function errorText(error: unknown): string {
  if (error instanceof UserError) return userErrorText(error)
  if (error instanceof WorldError) return `error: ${shown(error.message)} (${error.code})\n`
  if (error instanceof InterruptedError) return 'INTERRUPTED  nothing was under way\n'
  return bugText(error)
}

function userErrorText(error: UserError): string {
  const fix = error.fix === undefined ? '' : `  = fix: ${shown(plainText(error.fix))}\n`
  if (error.details.length > 0) return `${[...error.details, shown(error.message)].join('\n')}\n${fix}`
  return `error: ${shown(error.message)} (${error.code})\n${fix}`
}

function bugText(error: unknown): string {
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error)
  const lines = stack.split('\n').map((line) => escapeForeign(line, SHOWN_MAX))
  return `error: this is a bug in evenkeel, not a fault of yours; nothing more was done\n${lines.join('\n')}\n`
}

const shown = (text: string): string => escapeForeign(text, SHOWN_MAX)

import type { Sentence } from './sentence.ts'

interface UserErrorDetails {
  readonly code: string
  /** The command to type or the change to make, without the word "fix". */
  readonly fix?: Sentence
  /** Several findings at once, ready to print; the message is then their summary. */
  readonly details?: readonly string[]
  readonly cause?: unknown
}

/** Wrong usage or wrong input: exit code 2, no stack, nothing was changed. */
export class UserError extends Error {
  override readonly name = 'UserError'
  readonly code: string
  readonly fix: Sentence | undefined
  readonly details: readonly string[]

  constructor(message: string, details: UserErrorDetails) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.code = details.code
    this.fix = details.fix
    this.details = details.details ?? []
  }
}

/** The request is valid, but something would stop it: exit code 3, no stack, nothing was changed. */
export class BlockedError extends UserError {}

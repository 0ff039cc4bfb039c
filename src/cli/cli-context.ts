import type { Clock } from '../ground/ports/clock.ts'
import type { TerminalSettings } from '../ground/text/terminal/terminal-settings.ts'
import type { TextSink } from '../ground/text/terminal/text-sink.ts'
import type { Interrupts } from './interrupts.ts'

/** Everything of its process that a command may use. Made by the composition root. */
export interface CliContext {
  readonly terminal: TerminalSettings
  /** The result: plan, summary, JSON. */
  readonly out: TextSink
  /** Progress, holds, questions, errors. */
  readonly err: TextSink
  readonly clock: Clock
  readonly interrupts: Interrupts
  /** Rejects with UserError where the file cannot be read. `-` is the standard input. */
  readText(path: string): Promise<string>
  /** A file that is written anew; throws UserError where that is not possible. */
  openFile(path: string): TextSink
  /** A question on the terminal, answered with yes or no; with `word` it has to be answered with that. */
  ask(question: string, signal: AbortSignal, word?: string): Promise<boolean>
  /** A question on the terminal, answered with a line; undefined at the end of the input. */
  askLine(question: string, signal: AbortSignal): Promise<string | undefined>
  /** Called on every exit of the process, also a crash; synchronous. Returns a function that cancels it. */
  onExit(restore: () => void): () => void
}

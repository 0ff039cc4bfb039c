import type { Clock } from '../ground/ports/clock.ts'
import type { TerminalSettings } from '../ground/text/terminal/terminal-settings.ts'
import type { TextSink } from '../ground/text/terminal/text-sink.ts'
import type { Interrupts } from './interrupts.ts'

/** Everything a command may touch of the process it runs in. Made by the composition root. */
export interface CliContext {
  readonly terminal: TerminalSettings
  /** The result: plan, summary, JSON. */
  readonly out: TextSink
  /** The talk: progress, holds, questions, errors. */
  readonly err: TextSink
  readonly clock: Clock
  readonly interrupts: Interrupts
  /** Rejects with UserError where the file cannot be read. `-` is the standard input. */
  readText(path: string): Promise<string>
  /** A file that is written anew; throws UserError where that is refused. */
  openFile(path: string): TextSink
  /** A question on the terminal, answered with yes or no; with `word` it has to be answered with that. */
  ask(question: string, signal: AbortSignal, word?: string): Promise<boolean>
  /** A question on the terminal, answered with a line; undefined at the end of the input. */
  askLine(question: string, signal: AbortSignal): Promise<string | undefined>
  /** Called on every way out of the process, crashes among them; synchronous. Returns how to take it back. */
  onExit(restore: () => void): () => void
}

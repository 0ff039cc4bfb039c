import type { CliContext } from '../../src/cli/cli-context.ts'
import { Interrupts } from '../../src/cli/interrupts.ts'
import { UserError } from '../../src/ground/model/user-error.ts'
import type { TerminalSettings } from '../../src/ground/text/terminal/terminal-settings.ts'
import type { TextSink } from '../../src/ground/text/terminal/text-sink.ts'
import { VirtualClock } from '../support/virtual-clock.ts'

/** Keeps what is written. */
export class MemorySink implements TextSink {
  text = ''
  failure: string | undefined

  write(text: string): void {
    this.text += text
  }

  size() {
    return { columns: 80, rows: 24 }
  }

  flushed(): Promise<void> {
    return Promise.resolve()
  }
}

/** As a line: the person interrupts the question. */
export const CTRL_C = '\u0003'

export interface MemoryFacts {
  readonly files?: Readonly<Record<string, string>>
  readonly terminal?: boolean
  readonly answer?: boolean
  /** What is typed at questions for a line, in this order; then the input is at its end. */
  readonly lines?: readonly string[]
  /** A disk on which no file that is opened can be written. */
  readonly diskFull?: boolean
}

/** A process that is none: files, terminal and keyboard in memory. */
export function memoryContext({
  files = {},
  terminal = false,
  answer = false,
  lines = [],
  diskFull = false,
}: MemoryFacts = {}) {
  const facts: TerminalSettings = {
    env: { TERM: 'xterm', LANG: 'C' },
    stdinIsTerminal: terminal,
    stdoutIsTerminal: terminal,
    stderrIsTerminal: terminal,
  }
  const opened = new Map<string, MemorySink>()
  const asked: string[] = []
  const typed = [...lines]
  const context = {
    terminal: facts,
    out: new MemorySink(),
    err: new MemorySink(),
    clock: new VirtualClock('2026-11-21T06:14:39.000Z'),
    interrupts: new Interrupts(),
    readText: async (path) => {
      const text = files[path]
      if (text === undefined) throw new UserError(`cannot read ${path}`, { code: 'file.read' })
      return text
    },
    openFile: (path) => {
      const sink = new MemorySink()
      if (diskFull) sink.failure = 'no space left on device'
      opened.set(path, sink)
      return sink
    },
    ask: async (question) => {
      asked.push(question)
      return answer
    },
    askLine: async (question, signal) => {
      asked.push(question)
      const line = typed.shift()
      if (line !== CTRL_C) return line
      context.interrupts.press()
      throw signal.reason
    },
    onExit: () => () => undefined,
  } satisfies CliContext
  return { context, opened, asked }
}

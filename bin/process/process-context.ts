import { createWriteStream, openSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import process from 'node:process'
import { createInterface } from 'node:readline/promises'
import { text as textOf } from 'node:stream/consumers'
import type { CliContext } from '../../src/cli/cli-context.ts'
import { Interrupts } from '../../src/cli/interrupts.ts'
import { systemClock } from '../../src/ground/machine/system-clock.ts'
import { UserError } from '../../src/ground/model/user-error.ts'
import { streamSink } from './stream-sink.ts'

/** This process as the commands see it. */
export function processContext(): CliContext {
  return {
    terminal: {
      env: process.env,
      stdinIsTerminal: process.stdin.isTTY === true,
      stdoutIsTerminal: process.stdout.isTTY === true,
      stderrIsTerminal: process.stderr.isTTY === true,
    },
    out: streamSink(process.stdout),
    err: streamSink(process.stderr),
    clock: systemClock,
    interrupts: new Interrupts(),
    readText,
    openFile: (path) => streamSink(openFile(path)),
    ask,
    askLine,
    onExit: (restore) => {
      process.on('exit', restore)
      return () => process.off('exit', restore)
    },
  }
}

async function readText(path: string): Promise<string> {
  try {
    return path === '-' ? await textOf(process.stdin) : await readFile(path, 'utf8')
  } catch (error) {
    throw fileError('read', path, error)
  }
}

/** Opened at once, so that a path that cannot be written is reported before any change. */
function openFile(path: string) {
  try {
    return createWriteStream(path, { fd: openSync(path, 'w') })
  } catch (error) {
    throw fileError('write', path, error)
  }
}

function fileError(verb: 'read' | 'write', path: string, cause: unknown): UserError {
  const why = cause instanceof Error ? cause.message.replace(/^(E[A-Z]+): ([^,]*),.*$/s, '$2 ($1)') : String(cause)
  return new UserError(`cannot ${verb} ${path}: ${why}`, {
    code: `file.${verb}`,
    fix: `name a file that can be ${verb === 'read' ? 'read' : 'written'}`,
    cause,
  })
}

async function ask(question: string, signal: AbortSignal, word?: string): Promise<boolean> {
  const answer = await askLine(question, signal)
  return word === undefined ? /^\s*y(es)?\s*$/i.test(answer ?? '') : answer?.trim() === word
}

async function askLine(question: string, signal: AbortSignal): Promise<string | undefined> {
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  // A terminal in raw mode hands Ctrl-C to readline instead of sending SIGINT.
  lines.on('SIGINT', () => process.kill(process.pid, 'SIGINT'))
  const ended = new Promise<undefined>((resolve) => lines.once('close', () => resolve(undefined)))
  let answer: string | undefined
  try {
    answer = await Promise.race([lines.question(question, { signal }), ended])
    return answer
  } catch (error) {
    throw signal.aborted ? signal.reason : error
  } finally {
    // The user did not press Enter: the next line must not be behind the question.
    if (answer === undefined) process.stderr.write('\n')
    lines.close()
  }
}

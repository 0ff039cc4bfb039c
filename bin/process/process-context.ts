import { once } from 'node:events'
import { constants, createReadStream, createWriteStream, openSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { Socket } from 'node:net'
import process from 'node:process'
import { createInterface } from 'node:readline/promises'
import type { Readable } from 'node:stream'
import type { CliContext } from '../../src/cli/cli-context.ts'
import { Interrupts } from '../../src/cli/interrupts.ts'
import { systemClock } from '../../src/ground/machine/system-clock.ts'
import { UserError } from '../../src/ground/model/user-error.ts'
import { streamSink } from './stream-sink.ts'

/** This process as the commands see it. */
export function processContext(): CliContext {
  const interrupts = new Interrupts()
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
    interrupts,
    readText: (path) => readText(path, interrupts.signal),
    openFile: (path) => streamSink(openFile(path)),
    ask,
    askLine,
    onExit: (restore) => {
      process.on('exit', restore)
      return () => process.off('exit', restore)
    },
  }
}

/** No file that a command reads is nearly as large; `/dev/zero` has no end. */
const BYTES_MAX = 64 * 1024 * 1024

async function readText(path: string, signal: AbortSignal): Promise<string> {
  signal.throwIfAborted()
  const interrupted = once(signal, 'abort').then(() => Promise.reject(signal.reason))
  try {
    return await Promise.race([readStream(path), interrupted])
  } catch (error) {
    if (signal.aborted) throw signal.reason
    throw error instanceof UserError ? error : fileError('read', path, error)
  }
}

async function readStream(path: string): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of path === '-' ? process.stdin : await opened(path)) {
    chunks.push(Buffer.from(chunk))
    bytes += chunk.length
    if (bytes <= BYTES_MAX) continue
    const fix = 'name a file of its kind'
    throw new UserError(`${path === '-' ? 'standard input' : path} is larger than 64 MiB`, {
      code: 'file.too-large',
      fix,
    })
  }
  return Buffer.concat(chunks).toString('utf8')
}

/**
 * A pipe that nobody writes into yet is not opened by a thread: one that waits for a writer would keep the process from ending.
 */
async function opened(path: string): Promise<Readable> {
  const isPipe = (await stat(path)).isFIFO()
  return isPipe
    ? new Socket({ fd: openSync(path, constants.O_RDONLY | constants.O_NONBLOCK), readable: true, writable: false })
    : createReadStream(path)
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

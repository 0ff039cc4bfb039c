import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Clock } from '../ports/clock.ts'

interface ProcessRequest {
  /** The program and its arguments; run without a shell. */
  readonly argv: readonly [string, ...string[]]
  readonly stdin?: string
  readonly limitMs: number
  readonly onOutput?: (chunk: Buffer) => void
  readonly clock: Clock
}

/**
 * - exited: by itself, with `exitCode` or by `signal`
 * - limit: killed at the limit
 * - flood: killed for printing without end
 * - notStarted: there is no such program, or we may not run it
 */
export interface ProcessEnd {
  readonly cause: 'exited' | 'limit' | 'flood' | 'notStarted'
  readonly exitCode?: number
  readonly signal?: string
  /** The end of its stderr; foreign text, raw. */
  readonly errorTail: string
}

type Ending = Omit<ProcessEnd, 'errorTail'>

const OUTPUT_BYTES_MAX = 8 * 2 ** 20
const TAIL_BYTES_MAX = 4_096
/** How long output may come after the end: another process may still hold the pipe, for ever. */
const DRAIN_MS = 500

/** Runs one program until it ends or its limit is over. Rejects with the signal's reason; the program has ended then, too. */
export async function runProcess(request: ProcessRequest, signal: AbortSignal): Promise<ProcessEnd> {
  signal.throwIfAborted()
  const [file, ...args] = request.argv
  // A process group of its own: Ctrl-C on our terminal is only for us, and all that the program starts can be ended with it.
  const child = spawn(file, args, { stdio: 'pipe', detached: true })
  if (child.pid === undefined) return notStarted(child)
  const settled = new AbortController()
  const errors = collectTail(child)
  child.stdin.end(request.stdin ?? '')
  try {
    const end = await Promise.race([
      ended(child, request.clock, settled.signal),
      flooded(child, request.onOutput),
      limited(request, AbortSignal.any([signal, settled.signal])),
    ])
    return { ...end, errorTail: errors() }
  } finally {
    settled.abort()
    killGroup(child)
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy()
  }
}

/** No such program, not allowed, too many open files: the process has no pipes. */
async function notStarted(child: ChildProcessWithoutNullStreams): Promise<ProcessEnd> {
  const [error]: unknown[] = await once(child, 'error').catch((thrown: unknown) => [thrown])
  return { cause: 'notStarted', errorTail: error instanceof Error ? error.message : String(error) }
}

async function ended(child: ChildProcessWithoutNullStreams, clock: Clock, signal: AbortSignal): Promise<Ending> {
  const closed = Promise.withResolvers<void>()
  const exited = Promise.withResolvers<Ending>()
  child.once('close', () => closed.resolve())
  child.once('exit', (exitCode, killedBy) => {
    const how = exitCode === null ? { signal: killedBy ?? 'unknown' } : { exitCode }
    exited.resolve({ cause: 'exited', ...how })
  })
  const end = await exited.promise
  await Promise.race([closed.promise, clock.sleep(DRAIN_MS, signal)])
  return end
}

async function limited({ clock, limitMs }: ProcessRequest, signal: AbortSignal): Promise<Ending> {
  await clock.sleep(limitMs, signal)
  return { cause: 'limit' }
}

function flooded(child: ChildProcessWithoutNullStreams, onOutput: ProcessRequest['onOutput']): Promise<Ending> {
  return new Promise((resolve) => {
    let bytes = 0
    const count = (chunk: Buffer): void => {
      bytes += chunk.length
      if (bytes > OUTPUT_BYTES_MAX) resolve({ cause: 'flood' })
    }
    child.stderr.on('data', count)
    child.stdout.on('data', (chunk: Buffer) => {
      count(chunk)
      onOutput?.(chunk)
    })
  })
}

/** Also listens for errors of its pipes: a program that ends before it has read its input is no fault of ours. */
function collectTail(child: ChildProcessWithoutNullStreams): () => string {
  let tail = Buffer.alloc(0)
  child.stderr.on('data', (chunk: Buffer) => {
    tail = Buffer.concat([tail, chunk]).subarray(-TAIL_BYTES_MAX)
  })
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream.on('error', () => stream.destroy())
  return () => tail.toString('utf8')
}

function killGroup(child: ChildProcessWithoutNullStreams): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  try {
    process.kill(-child.pid, 'SIGKILL')
  } catch (error) {
    // The process ended at this very moment.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}

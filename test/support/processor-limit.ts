/**
 * Ends the process where one piece of its work has used the processor for too long. A loop that never ends can be ended
 * from outside alone; and what counts is what this process has used, so that a busy machine makes no loop out of patience.
 */
import { isMainThread, Worker, workerData } from 'node:worker_threads'

const LOOK_MS = 250

const usedMs = (): number => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

interface Watched {
  /** What the process had used when the piece of work under way began. */
  readonly begun: Int32Array
  readonly limitMs: number
}

function watch({ begun, limitMs }: Watched): void {
  setInterval(() => {
    if (usedMs() - Atomics.load(begun, 0) > limitMs) process.kill(process.pid, 'SIGKILL')
  }, LOOK_MS)
}

/** Returns what is to be called whenever another piece of work begins; it may be given less than the limit. */
export function limitProcessor(limitMs: number): (ownLimitMs?: number) => void {
  const begun = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
  const begin = (ownLimitMs = limitMs): void => {
    Atomics.store(begun, 0, usedMs() - (limitMs - ownLimitMs))
  }
  begin()
  const watched: Watched = { begun, limitMs }
  // Without the options of this process: one of a script on the command line ends a worker that is a file.
  new Worker(new URL(import.meta.url), { workerData: watched, execArgv: [] }).unref()
  return begin
}

if (!isMainThread) watch(workerData as Watched)

/**
 * Ends the process where one piece of its work has used the processor for too long. A loop that never ends can be ended
 * from outside alone; and what counts is what this process has used, so that a busy machine makes no loop out of patience.
 */
import { isMainThread, Worker, workerData } from 'node:worker_threads'

const LIMIT_MS = 8_000
const LOOK_MS = 250

const usedMs = (): number => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

/** `begun`: what the process had used when the piece of work under way began. */
function watch(begun: Int32Array): void {
  setInterval(() => {
    if (usedMs() - Atomics.load(begun, 0) > LIMIT_MS) process.kill(process.pid, 'SIGKILL')
  }, LOOK_MS)
}

/** Returns what is to be called whenever another piece of work begins. */
export function limitProcessor(): () => void {
  const begun = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
  const begin = (): void => {
    Atomics.store(begun, 0, usedMs())
  }
  begin()
  new Worker(new URL(import.meta.url), { workerData: begun }).unref()
  return begin
}

if (!isMainThread && workerData instanceof Int32Array) watch(workerData)

import { type ChildProcess, spawn } from 'node:child_process'
import type { ProbeTarget } from '../model/probe.ts'
import type { ProbeSignal } from '../model/probe-signal.ts'
import type { Clock } from '../ports/clock.ts'
import type { ProbeSource } from '../ports/probe-source.ts'
import type { Random } from '../ports/random.ts'

/** The first message to a prober. */
export interface ProbeOrder {
  readonly targets: readonly ProbeTarget[]
  readonly wallOffsetMs: number | undefined
}

interface ChildProbeParts {
  /** The argument that makes `process.execPath` the prober (bin/probe-process). */
  readonly program: string
  readonly targets: readonly ProbeTarget[]
  /** Offset of its stamps from the monotonic clock; it stays when the wall clock is set. Absent: stamps follow the wall clock. */
  readonly wallOffsetMs?: () => number
  readonly clock: Clock
  readonly random: Random
  /** Called with the process id of each prober. */
  readonly onSpawn?: (pid: number) => void
}

const FIRST_BACKOFF_MS = 100
const LONGEST_BACKOFF_MS = 5_000
/** After this long alive, its next death counts as a new fault. */
const HEALTHY_AFTER_MS = 10_000
/** After this many seconds of silence, each noticed by itself, the prober counts as hanging. */
const SILENT_SECONDS = 10
/** The time to exit, beyond the time-out of its requests. */
const GOODBYE_MS = 3_000
const LAST_WORDS = 2_000
/**
 * It makes only garbage of requests: with this option it takes a third less memory, and starts requests as exactly as with V8's
 * own 64 MB.
 */
const SMALL_NURSERY = '--max-semi-space-size=8'

/** A prober as a child process in a session of its own; it is started again whenever it dies or hangs. */
export class ChildProbeSource implements ProbeSource {
  readonly #parts: ChildProbeParts

  constructor(parts: ChildProbeParts) {
    this.#parts = parts
  }

  async run(emit: (signal: ProbeSignal) => void, signal: AbortSignal): Promise<void> {
    const { clock } = this.#parts
    for (let deaths = 0; !signal.aborted; deaths += 1) {
      const since = clock.monoMs()
      const end = await this.#live(emit, signal)
      if (signal.aborted && end.orderly) return
      emit({ type: 'died', at: clock.wallMs(), reason: end.reason })
      if (clock.monoMs() - since > HEALTHY_AFTER_MS) deaths = 0
      await this.#backOff(deaths, signal)
    }
  }

  async #backOff(deaths: number, signal: AbortSignal): Promise<void> {
    const { clock, random } = this.#parts
    const longestMs = Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** Math.min(deaths, 10))
    try {
      await clock.sleep(longestMs * (0.5 + random.next() / 2), signal)
    } catch (error) {
      if (!signal.aborted) throw error
    }
  }

  /** One prober from its start to its end. */
  async #live(emit: (signal: ProbeSignal) => void, signal: AbortSignal): Promise<End> {
    const { program, targets, wallOffsetMs, onSpawn } = this.#parts
    const child = spawn(process.execPath, [program], {
      // Ctrl-C in the terminal is for the parent, which ends the prober.
      detached: true,
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      env: {
        ...process.env,
        // A single executable takes no option of Node from its command line.
        NODE_OPTIONS: [process.env.NODE_OPTIONS ?? '', SMALL_NURSERY].join(' ').trim(),
        // Each look-up blocks a thread, and a dead resolver must not delay the others.
        UV_THREADPOOL_SIZE: '16',
      },
    })
    const gone = new AbortController()
    const heard = { inSecond: true }
    child.on('message', (message) => {
      heard.inSecond = true
      if (isProbeSignal(message)) emit(message)
    })
    const end = endOf(child).finally(() => gone.abort(new Error('the prober is gone')))
    if (child.pid !== undefined) {
      onSpawn?.(child.pid)
      child.send({ targets, wallOffsetMs: wallOffsetMs?.() } satisfies ProbeOrder, noteSendError)
    }
    const [ended] = await Promise.all([
      end,
      this.#killWhenSilent(child, heard, gone.signal),
      this.#stopOn(signal, child, gone.signal),
    ])
    return ended
  }

  /** Counted in seconds of our own, so that our own stall does not count as its silence. */
  async #killWhenSilent(child: ChildProcess, heard: { inSecond: boolean }, gone: AbortSignal): Promise<void> {
    for (let silent = 0; await this.#waited(1_000, gone); heard.inSecond = false) {
      silent = heard.inSecond ? 0 : silent + 1
      if (silent >= SILENT_SECONDS) child.kill('SIGKILL')
    }
  }

  async #stopOn(signal: AbortSignal, child: ChildProcess, gone: AbortSignal): Promise<void> {
    if (!(await aborted(signal, gone))) return
    if (child.connected) child.send('stop', noteSendError)
    const longestMs = Math.max(...this.#parts.targets.map((target) => target.timeoutMs)) + GOODBYE_MS
    if (await this.#waited(longestMs, gone)) child.kill('SIGKILL')
  }

  /** False when it had ended before the time was over. */
  async #waited(ms: number, gone: AbortSignal): Promise<boolean> {
    try {
      await this.#parts.clock.sleep(ms, gone)
      return true
    } catch (error) {
      if (!gone.aborted) throw error
      return false
    }
  }
}

interface End {
  readonly orderly: boolean
  readonly reason: string
}

/** The channel may close during a message; the end of that prober is noticed anyway. */
const noteSendError = (_error: Error | null): void => undefined

/** True when `signal` came first, false when `gone` did. */
const aborted = (signal: AbortSignal, gone: AbortSignal): Promise<boolean> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve(true)
    signal.addEventListener('abort', () => resolve(true), { once: true, signal: gone })
    gone.addEventListener('abort', () => resolve(false), { once: true })
  })

/** Its last messages may come after its exit: it has ended when the channel is closed as well. */
function endOf(child: ChildProcess): Promise<End> {
  let lastWords = ''
  child.stderr?.on('data', (chunk: Buffer) => {
    lastWords = `${lastWords}${chunk.toString()}`.slice(-LAST_WORDS)
  })
  const closed = new Promise<void>((resolve) => child.once('disconnect', resolve))
  return new Promise((resolve) => {
    child.once('error', (error) => resolve({ orderly: false, reason: error.message }))
    child.once('close', (code, killedBy) => {
      const how = killedBy === null ? `exit code ${code ?? '?'}` : killedBy
      const reason = lastWords === '' ? how : `${how}: ${lastWords.trim()}`
      void closed.then(() => resolve({ orderly: code === 0, reason }))
    })
  })
}

const isProbeSignal = (message: unknown): message is ProbeSignal =>
  typeof message === 'object' &&
  message !== null &&
  'type' in message &&
  (message.type === 'started' || message.type === 'batch' || message.type === 'died')

import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { searchPath } from '../machine/find-command.ts'
import { LAZY_COLLECTOR } from '../machine/lazy-collector.ts'
import { logTail } from '../machine/log-tail.ts'

/** A long-running program of the rack, with its own process group and a log. */
export interface Component {
  readonly pid: number
  readonly whenEnded: Promise<void>
  /** How it ended, or undefined while it runs. */
  readonly ended: () => string | undefined
  /** Throws, quoting the log, where it has ended. */
  readonly mustRun: () => void
  /** Asks it to end, ends it after the limit, and waits until it has. */
  readonly stop: (limitMs: number) => Promise<void>
  readonly kill: () => Promise<void>
  readonly signal: (signal: NodeJS.Signals) => void
}

interface ComponentStart {
  readonly name: string
  readonly argv: readonly string[]
  readonly log: string
}

export function startComponent({ name, argv, log }: ComponentStart): Component {
  const [file = '', ...args] = argv
  const output = openSync(log, 'a')
  const child = spawn(file, args, {
    stdio: ['ignore', output, output],
    detached: true,
    env: { ...process.env, PATH: searchPath, ...LAZY_COLLECTOR },
  })
  closeSync(output)
  let end: string | undefined
  const whenEnded = new Promise<void>((resolve) => {
    child.on('error', (error) => {
      end = error.message
      resolve()
    })
    child.on('exit', (code, signal) => {
      end = signal ?? `code ${code}`
      resolve()
    })
  })
  const signal = (name: NodeJS.Signals): void => signalGroup(child, name)
  return {
    pid: child.pid ?? 0,
    whenEnded,
    ended: () => end,
    mustRun: () => {
      if (end !== undefined) throw new Error(`${name} ended (${end})\n${logTail(log)}`)
    },
    async stop(limitMs) {
      signal('SIGTERM')
      const limit = new AbortController()
      const late = sleep(limitMs, 'late' as const, { signal: limit.signal }).catch(() => 'early' as const)
      if ((await Promise.race([whenEnded, late])) === 'late') signal('SIGKILL')
      limit.abort()
      await whenEnded
    },
    async kill() {
      signal('SIGKILL')
      await whenEnded
    },
    signal,
  }
}

/** The group, so that what a program has started goes with it. */
function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  process.kill(signal === 'SIGKILL' ? -child.pid : child.pid, signal)
}

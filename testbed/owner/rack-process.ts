import { spawn } from 'node:child_process'
import { closeSync, existsSync, mkdirSync, openSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { searchPath } from '../machine/find-command.ts'
import { logTail } from '../machine/log-tail.ts'
import { childrenOf } from '../machine/process-identity.ts'
import { waitFor } from '../machine/wait-for.ts'
import { controlSocket, logPath, planPath, type RackPlan } from '../rack/plan.ts'

const MAIN = join(import.meta.dirname, '../rack/main.ts')
const NAMESPACES = ['--net', '--mount', '--propagation', 'private', '--pid', '--fork', '--mount-proc']

export interface RackProcess {
  /** The rack's first process, as this process sees it; its namespaces can be entered. */
  readonly pid: number
  /** Resolves when no process of the rack is left, whatever ended it. */
  readonly ended: Promise<void>
  /** What to tell callers that wait for a rack that is gone. */
  readonly whyGone: () => string
  /** Ends every process of the rack; resolves when none is left. */
  readonly end: () => Promise<void>
}

/** Starts a rack that lives no longer than this process, however this one ends. */
export async function startRack(plan: RackPlan): Promise<RackProcess> {
  writeFileSync(planPath(plan.disk), JSON.stringify(plan))
  const log = logPath(plan.disk, 'rack')
  mkdirSync(dirname(log), { recursive: true })
  const output = openSync(log, 'a')
  const shell = ['--pdeathsig', 'KILL', 'unshare', ...NAMESPACES, '--kill-child=KILL', '--']
  const child = spawn('setpriv', [...shell, process.execPath, MAIN, planPath(plan.disk)], {
    stdio: ['ignore', output, output],
    env: { ...process.env, PATH: searchPath },
  })
  closeSync(output)
  const ended = new Promise<void>((resolve, reject) => {
    child.on('exit', () => resolve())
    child.on('error', reject)
  })
  const whyGone = (): string => `the bed ${plan.name} is gone\n${logTail(log)}`
  const pid = await waitFor({ what: 'the rack to answer', limitMs: 20_000, everyMs: 10, explain: whyGone }, () => {
    if (child.exitCode !== null || child.signalCode !== null) throw new Error(whyGone())
    return child.pid !== undefined && existsSync(controlSocket(plan.runtime)) ? childrenOf(child.pid)[0] : undefined
  })
  return {
    pid,
    ended,
    whyGone,
    async end() {
      // Of the first process, not of the one outside: that one ends when the kernel has buried all within.
      if (child.exitCode === null && child.signalCode === null) process.kill(pid, 'SIGKILL')
      await ended
    },
  }
}

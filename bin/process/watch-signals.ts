import { readFileSync } from 'node:fs'
import { performance } from 'node:perf_hooks'
import process from 'node:process'
import type { Interrupts } from '../../src/cli/interrupts.ts'
import type { LinePrinter } from '../../src/cli/line-printer.ts'

/** npm passes on a signal that the terminal sends to both: one Ctrl-C arrives twice. No person presses that fast. */
const SAME_PRESS_MS = 200
const POLL_EVERY_MS = 250

/** Ctrl-C, SIGTERM and SIGHUP each count as one press; Ctrl-Z is refused while a node is out, and otherwise obeyed. */
export function watchSignals(interrupts: Interrupts, printer: LinePrinter): void {
  let pressedAt = Number.NEGATIVE_INFINITY
  const press = (): void => {
    const now = performance.now()
    if (now - pressedAt >= SAME_PRESS_MS) interrupts.press()
    pressedAt = now
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, press)
  const suspend = (): void => suspendOrSay(interrupts, printer)
  process.on('SIGTSTP', suspend)
  // npm does not pass on a Ctrl-Z that reaches only it.
  if (process.env.npm_lifecycle_event !== undefined) watchParent(suspend)
}

function suspendOrSay(interrupts: Interrupts, printer: LinePrinter): void {
  const refusal = interrupts.suspendRefused()
  if (refusal === undefined) {
    if (interrupts.isWatched) printer.print('suspended: no node is out, and nothing goes on until fg')
    process.kill(process.pid, 'SIGSTOP')
    return
  }
  printer.print(refusal)
  // The process before us in the same job (npm, a shell) was stopped, and could pass nothing on.
  process.kill(0, 'SIGCONT')
}

/** Notices that the process which started this one is stopped; only Linux shows that. */
function watchParent(onStopped: () => void): void {
  let was = false
  const check = setInterval(() => {
    const is = isStopped(process.ppid)
    if (is && !was) onStopped()
    was = is
  }, POLL_EVERY_MS)
  check.unref()
}

/** The state behind the name of the program, which may contain any text (proc_pid_stat(5)). */
function isStopped(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).startsWith('T')
  } catch (error) {
    if (error instanceof Error && 'code' in error) return false
    throw error
  }
}

import process from 'node:process'
import type { CliContext } from '../../src/cli/cli-context.ts'

/** Ctrl-C, SIGTERM and SIGHUP each count as one press; Ctrl-Z is answered while a node is out, else obeyed. */
export function watchSignals({ interrupts, err }: CliContext): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => interrupts.press())
  process.on('SIGTSTP', () => {
    const refusal = interrupts.suspendRefused()
    if (refusal === undefined) process.kill(process.pid, 'SIGSTOP')
    else err.write(`${refusal}\n`)
  })
}

import process from 'node:process'
import type { Interrupts } from '../../src/cli/interrupts.ts'
import type { Voice } from '../../src/cli/voice.ts'

/** Ctrl-C, SIGTERM and SIGHUP each count as one press; Ctrl-Z is answered while a node is out, else obeyed. */
export function watchSignals(interrupts: Interrupts, voice: Voice): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => interrupts.press())
  process.on('SIGTSTP', () => {
    const refusal = interrupts.suspendRefused()
    if (refusal === undefined) process.kill(process.pid, 'SIGSTOP')
    else voice.say(refusal)
  })
}

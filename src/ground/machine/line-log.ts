import type { Writable } from 'node:stream'
import { toIso } from '../model/time.ts'
import type { Clock } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'

/** One line of JSON for each entry, for a program without a terminal. Entries for debugging are left out. */
export const lineLog = (sink: Writable, clock: Clock): Log => ({
  debug: () => undefined,
  warn: (text, fields = {}) => {
    sink.write(`${JSON.stringify({ at: toIso(clock.wallMs()), text, ...fields })}\n`)
  },
})

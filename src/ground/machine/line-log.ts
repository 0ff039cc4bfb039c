import type { Writable } from 'node:stream'
import { shownJson } from '../model/foreign-text.ts'
import { toIso } from '../model/time.ts'
import type { Clock } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'

/** One line of JSON for each entry, for a program without a terminal. Entries for debugging are left out. */
export const lineLog = (sink: Writable, clock: Clock): Log => ({
  debug: () => undefined,
  warn: (text, fields = {}) => {
    sink.write(`${shownJson({ at: toIso(clock.wallMs()), text, ...fields })}\n`)
  },
})

import type { Found } from '../../src/explain/decide/doctor/doctor-snapshot.ts'
import { within } from '../../src/ground/kube/within.ts'
import { systemClock as clock } from '../../src/ground/machine/system-clock.ts'
import { present } from '../../src/ground/model/present.ts'
import { UserError } from '../../src/ground/model/user-error.ts'
import { WorldError } from '../../src/ground/model/world-error.ts'

export const CHECK_LIMIT_MS = 5_000

class TooLate extends Error {
  override readonly name = 'TooLate'
}

/** One check with a time limit. Rejects with the signal's reason, and for a bug. */
export async function attempt<T>(
  signal: AbortSignal,
  work: (limited: AbortSignal) => Promise<T>,
  ms = CHECK_LIMIT_MS,
): Promise<Found<T>> {
  try {
    const late = () => new TooLate(`no answer within ${ms / 1000} s`)
    return { is: 'found', value: await within({ clock, ms, signal, late }, work) }
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof TooLate) return { is: 'failed', text: error.message }
    if (error instanceof WorldError) return { is: 'failed', text: error.message, code: error.code }
    if (!(error instanceof UserError)) throw error
    const { message, code, fix } = error
    return { is: 'failed', text: message, code, ...present({ fix }) }
  }
}

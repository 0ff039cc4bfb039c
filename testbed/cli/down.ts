import { isAlive } from '../machine/process-identity.ts'
import { waitFor } from '../machine/wait-for.ts'
import { findBed, sweepDeadBeds } from '../owner/registry.ts'
import { commandLineBed } from './owner-message.ts'

const POLITE_LIMIT_MS = 20_000

/** Ends the command line's bed; the kernel ends what its owner cannot. Says whether there was one. */
export async function down(): Promise<boolean> {
  const bed = findBed(commandLineBed)
  if (bed !== undefined) {
    process.kill(bed.owner.pid, 'SIGTERM')
    const gone = (): true | undefined => (isAlive(bed.owner) ? undefined : true)
    try {
      await waitFor({ what: 'the bed to end', limitMs: POLITE_LIMIT_MS }, gone)
    } catch {
      process.kill(bed.owner.pid, 'SIGKILL')
      await waitFor({ what: 'the owner of the bed to end', limitMs: POLITE_LIMIT_MS }, gone)
    }
  }
  sweepDeadBeds()
  return bed !== undefined
}

import { withdrawConditions } from './announce/withdraw-conditions.ts'
import { giveBackLock } from './kured/give-back-lock.ts'
import { takeOffMarks } from './marks-to-come.ts'

type Parts = Parameters<typeof takeOffMarks>[0] &
  Parameters<typeof withdrawConditions>[0] &
  Parameters<typeof giveBackLock>[0]

/** Removes what a run has announced on nodes, and gives the lock of kured back, however it ends. */
export async function endMarks(parts: Parts, signal: AbortSignal): Promise<void> {
  await Promise.all([takeOffMarks(parts, signal), withdrawConditions(parts, signal), giveBackLock(parts, signal)])
}

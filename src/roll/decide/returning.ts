import type { AnyWaiting } from '../model/decision.ts'
import type { Evidence } from './evidence.ts'
import { isOfRequests } from './gates/gates-hold.ts'
import { isUnheard } from './stood-still.ts'
import { type AnySnapshot, hasSubject, isAnnounced, isBegun, isRebooted } from './subject.ts'

/**
 * The steps of the way back before `settle` have its limit together: for the slot, for released pods, for the cordon. Hooks that run have
 * limits of their own, and the slot of an earlier process of the run is taken over once it is stale. What is done may be undone, so that it
 * shows no progress.
 */
export function returning(s: AnySnapshot, { kind, reasons }: AnyWaiting): Pick<Evidence, 'returning'> {
  const isOfHooks = reasons.some(({ code }) => isOfRequests(code))
  const isTakenOver = s.slot.state !== 'mine' && s.slot.holderRun === s.run.id
  if (!isOnWayBack(s) || isOfHooks || isTakenOver || isUnheard(s)) return {}
  const { passedAt = s.now, returning: { ms, reasons: before } = { ms: 0, reasons } } = s.evidence
  return { returning: { ms: ms + s.now - passedAt, reasons: kind === 'hold' ? reasons : before } }
}

const isOnWayBack = (s: AnySnapshot): boolean =>
  hasSubject(s) && isBegun(s) && (isRebooted(s) || (s.run.verdict !== undefined && !isAnnounced(s)))

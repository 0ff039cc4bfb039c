import { undoHooks } from '../hooks/hooks-due.ts'
import { actOn, atStep, type HostDecision, holdAt } from './host-decision.ts'
import type { HostSnapshot } from './host-snapshot.ts'
import { moveFailed } from './leave.ts'
import { addressFaults, silentMachines } from './pair-state.ts'

const TRY_AGAIN_MS = 5000

/** A verdict before the reboot was announced: the machine takes its addresses back, as far as its own rules give it any. */
export function restore(s: HostSnapshot): HostDecision {
  const { memory, evidence, run, pair, now } = s
  const { moved } = evidence
  const reasons = run.verdict?.reasons ?? []
  const isTold = moved?.to === 'back'
  const restored = (): HostDecision => atStep('attach', undoHooks(s)) ?? { kind: 'settled', end: 'restored', reasons }
  if (memory.wasAway !== true) return restored()
  if (!isTold || moved.error !== undefined) {
    if (isTold && moved.error !== undefined && now - moved.at < TRY_AGAIN_MS)
      return holdAt('attach', [moveFailed(s, moved.error)])
    return actOn('attach', { kind: 'moveBack' }, reasons[0] ?? { code: 'Aborted', text: 'the roll goes no further' })
  }
  if (now - moved.at >= pair.moveLimitMs) return restored()
  const silent = silentMachines(s, moved.at)
  const against = silent.length > 0 ? silent : addressFaults(s)
  return against.length > 0 ? holdAt('attach', against) : restored()
}

import type { AdminState, ServerReading } from './balancer.ts'
import type { CheckReading } from './health-check.ts'

type MarkedStates = Pick<ServerReading, 'ownState' | 'adminState' | 'operational' | 'check'>

/** A mark takes its node out, whichever client set it. The answer of the check of a marked node is the effect of the mark. */
export function markedStates(isMarked: boolean, check: CheckReading): MarkedStates {
  const state: AdminState = isMarked ? 'drain' : 'ready'
  const states = { ownState: state, adminState: state }
  if (isMarked) return { ...states, operational: 'stopping', check: 'none' }
  if (!check.asked) return { ...states, operational: 'up', check: 'none' }
  return check.answer === 'good'
    ? { ...states, operational: 'up', check: 'passing' }
    : { ...states, operational: 'down', check: 'failing' }
}

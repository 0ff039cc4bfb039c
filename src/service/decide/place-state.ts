import { actuatorOf } from '../actuators/actuator-of.ts'
import { isConfirmed } from './detach.ts'
import { isSilent, type NodeServer } from './node-servers.ts'
import type { ServiceSnapshot } from './service-snapshot.ts'

/**
 * - in: it is sent traffic · out: it is not, and what it had has ended
 * - leaving: asked to go, and not all that this takes is seen yet · returning: asked back, likewise
 * - unknown: its instance is silent or does not list it, and what was read before is no evidence
 */
type PlaceState = 'in' | 'leaving' | 'out' | 'returning' | 'unknown'

/** One place, in words that are the same for every actuator. */
export function placeState(s: ServiceSnapshot, place: NodeServer): PlaceState {
  const { reading } = place
  if (reading === undefined || isSilent(place.instance)) return 'unknown'
  const actuator = actuatorOf(s, place)
  const isNoticed = (way: 'in' | 'out'): boolean => actuator.unnoticed(s, place, way) === undefined
  if (reading.ownState === 'ready') return reading.operational === 'up' && isNoticed('in') ? 'in' : 'returning'
  const isTaken = isConfirmed(s, place) && actuator.untaken(s, place) === undefined
  return isTaken && isNoticed('out') && !actuator.isBusy(s, place) ? 'out' : 'leaving'
}

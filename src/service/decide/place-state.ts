import { actuatorOf } from '../actuators/actuator-of.ts'
import { isConfirmed } from './detach.ts'
import { isSilent, type NodeServer } from './node-servers.ts'
import type { ServiceSnapshot } from './service-snapshot.ts'

/**
 * - in: it is sent traffic · out: it is not, and all earlier traffic has ended
 * - leaving: a detach was requested and is not complete · returning: an attach, likewise
 * - unknown: the instance is silent or does not list the server, and an earlier reading is no evidence
 */
type PlaceState = 'in' | 'leaving' | 'out' | 'returning' | 'unknown'

/** The state of a place, in the same words for every actuator. */
export function placeState(s: ServiceSnapshot, place: NodeServer): PlaceState {
  const { reading } = place
  if (reading === undefined || isSilent(place.instance)) return 'unknown'
  const actuator = actuatorOf(s, place)
  const isNoticed = (way: 'in' | 'out'): boolean => actuator.unnoticed(s, place, way) === undefined
  // Only `maint` keeps away clients that are remembered for the server.
  const isSent =
    reading.ownState === 'ready' || (reading.ownState === 'drain' && actuator.whenOut(s, place) === 'maint')
  if (isSent) return reading.operational === 'up' && isNoticed('in') ? 'in' : 'returning'
  const isTaken = isConfirmed(s, place) && actuator.untaken(s, place) === undefined
  return isTaken && isNoticed('out') && !actuator.isBusy(s, place) ? 'out' : 'leaving'
}

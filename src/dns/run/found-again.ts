import { WorldError } from '../../ground/model/world-error.ts'
import type { Clock } from '../../ground/ports/clock.ts'
import type { DnsObjects } from '../ports/dns-objects.ts'
import { type Deployment, findDeployment, type Sought } from './deployment.ts'

interface Lookup {
  readonly objects: DnsObjects
  readonly clock: Clock
  readonly sought: Sought
}

/** Rejects as `findDeployment` does. */
export const foundNow = ({ objects, clock, sought }: Lookup, signal: AbortSignal): Promise<Deployment> =>
  findDeployment(objects, { sought, wallMs: clock.wallMs() }, signal)

/** The deployment as it is by now. What cannot be listed again stays as it was, and the notes say so. */
export async function foundAgain(before: Deployment, parts: Lookup, signal: AbortSignal): Promise<Deployment> {
  try {
    const now = await foundNow(parts, signal)
    if (!now.isZoneAssumed) return now
    // DNS itself may have said which zone it is.
    const { zone } = before.askedZone
    const notes = now.notes.map((note) => (note.startsWith('zone ') ? (before.notes.find(isOfZone) ?? note) : note))
    return { ...now, askedZone: { ...now.askedZone, zone }, isZoneAssumed: before.isZoneAssumed, notes }
  } catch (error) {
    if (!(error instanceof WorldError)) throw error
    const note = `DNS could not be listed again, so some of the asked pods may be gone: ${error.message}`
    return { ...before, notes: [...before.notes, note] }
  }
}

const isOfZone = (note: string): boolean => note.startsWith('zone ')

/**
 * Without pods that came since: one round is not enough to say of a pod that it is ill, and the next check asks them. Where no
 * other is left, they are DNS.
 */
export function stillThere(now: Deployment, before: Deployment): Deployment {
  const asked = new Set(before.known.pods.map(({ uid }) => uid))
  const pods = now.known.pods.filter(({ uid }) => asked.has(uid))
  const came = now.known.pods.filter((pod) => !pods.includes(pod)).map(({ name }) => name)
  if (came.length === 0 || pods.length === 0) return now
  const note = `the next check asks ${came.join(', ')}, which started meanwhile`
  return { ...now, known: { ...now.known, pods }, notes: [...now.notes, note] }
}

import type { CheckedIngress } from './ingress-kind.ts'

type MemberState = Pick<CheckedIngress, 'status' | 'generation' | 'createdAt' | 'uid'>

const refusalOf = ({ status }: Pick<CheckedIngress, 'status'>): string | undefined =>
  status.conditions.find(({ type, status: is }) => type === 'Stalled' && is === 'True')?.reason

/** The object is refused or held by its own errors or by conflicts. */
export const givesWay = (object: Pick<CheckedIngress, 'status'>): boolean =>
  ['IngressRefused', 'IngressConflict'].includes(refusalOf(object) ?? '')

/** The object has worked on nodes before, so it must not leave them half done. */
export const wasCarried = (object: Pick<CheckedIngress, 'status'>): boolean =>
  object.status.observedGeneration !== undefined && refusalOf(object) !== 'IngressRefused'

/** The current spec of the object is in force. */
const isInForce = (object: MemberState): boolean =>
  wasCarried(object) &&
  object.status.observedGeneration === object.generation &&
  refusalOf(object) !== 'IngressConflict'

/**
 * Which of two objects goes on if both cannot: the one that is in force, then the older one. A new or changed object never stops one that
 * runs.
 *
 * Law: of two IngressDaemonSets that cannot both be there exactly one gives way.
 */
export function standsBefore(one: MemberState, other: MemberState): boolean {
  if (isInForce(one) !== isInForce(other)) return isInForce(one)
  return one.createdAt === other.createdAt ? one.uid < other.uid : one.createdAt < other.createdAt
}

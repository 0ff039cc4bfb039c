import type { CheckedIngress } from './ingress-kind.ts'

type MemberState = Pick<CheckedIngress, 'status' | 'generation' | 'createdAt' | 'uid'>

const refusalOf = ({ status }: Pick<CheckedIngress, 'status'>): string | undefined =>
  status.conditions.find(({ type, status: is }) => type === 'Stalled' && is === 'True')?.reason

/** It is refused, or goes no further, for what it says or for others. */
export const givesWay = (object: Pick<CheckedIngress, 'status'>): boolean =>
  ['IngressRefused', 'IngressConflict'].includes(refusalOf(object) ?? '')

/** Nodes are, or were, carried by it: what stands there must not be left half done. */
export const wasCarried = (object: Pick<CheckedIngress, 'status'>): boolean =>
  object.status.observedGeneration !== undefined && refusalOf(object) !== 'IngressRefused'

/** What it says now is in force. */
const isInForce = (object: MemberState): boolean =>
  wasCarried(object) &&
  object.status.observedGeneration === object.generation &&
  refusalOf(object) !== 'IngressConflict'

/**
 * Which of two objects goes on where both cannot: the one that is in force, then the older one. An object that runs is not stopped by
 * one that comes or is changed.
 *
 * Law: of two IngressDaemonSets that cannot both be there exactly one gives way.
 */
export function standsBefore(one: MemberState, other: MemberState): boolean {
  if (isInForce(one) !== isInForce(other)) return isInForce(one)
  return one.createdAt === other.createdAt ? one.uid < other.uid : one.createdAt < other.createdAt
}

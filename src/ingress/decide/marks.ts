import { type Claim, claimsOf, MAINTENANCE_ANNOTATION, parseClaims } from '../../ground/model/claims.ts'
import { toIso, type WallMs } from '../../ground/model/time.ts'
import { type AskedDetacher, HOLDERS_ANNOTATION, parseHolders } from '../../service/decide/detach-holders.ts'
import type { DetachMark, IngressDaemonSet } from '../model/ingress-daemon-set.ts'
import { healthInForce } from './in-force.ts'
import type { IngressOp } from './op.ts'
import type { IngressNode } from './snapshot.ts'

/** The owner in claims. The group is part of it, so objects of one name in both groups differ. Namespaces have no dot. */
export const ingressOwner = ({ group, namespace, name }: IngressDaemonSet): string =>
  `ingress/${namespace}.${name}${group === 'evenkeel.dev' ? '' : '@mumoshu'}`

export const claimFor = (object: IngressDaemonSet, op: IngressOp, now: WallMs): Claim => ({
  owner: ingressOwner(object),
  id: op.id,
  at: toIso(now),
  why: `the ingress pods of ${object.namespace}/${object.name} change here`,
})

const claimsText = ({ node }: IngressNode): string | undefined => node?.annotations[MAINTENANCE_ANNOTATION]

export const ownClaim = (object: IngressDaemonSet, n: IngressNode): Claim | undefined =>
  claimsOf(claimsText(n)).find(({ owner }) => owner === ingressOwner(object))

/** Since when the object claims the node. Undefined: it does not, or the claim has no time. */
export function claimedAt(object: IngressDaemonSet, n: IngressNode): number | undefined {
  const { at = '' } = ownClaim(object, n) ?? {}
  return at === '' ? undefined : Date.parse(at)
}

/** Why the claims on the node cannot be added to. */
export function unreadableClaims(n: IngressNode): string | undefined {
  const word = parseClaims(claimsText(n))
  return word.kind === 'unreadable' ? word.why : undefined
}

/** A claim of another owner. Claims of other IngressDaemonSets do not count, since those change only their own pods. */
export const isClaimedForMaintenance = (n: IngressNode): boolean =>
  claimsOf(claimsText(n)).some(({ owner }) => !owner.startsWith('ingress/'))

/**
 * The mark of this object that stands on the Deployment: the one that is in force there, though the spec may name another one by now, or
 * that of the spec.
 */
export function ownMark(
  object: IngressDaemonSet,
  { deployment }: IngressNode,
): Pick<DetachMark, 'key' | 'value'> | undefined {
  if (deployment === undefined) return undefined
  const marks = [healthInForce(object, deployment).mark, object.spec.detach.deployment]
  return marks.find(({ key, value }) => deployment.annotations[key] === value)
}

/** The keys of the Node under which this object asks a detacher: more than one only if its spec has changed since. */
export const heldKeys = (object: IngressDaemonSet, n: IngressNode): readonly string[] =>
  [...holdersOf(n)].filter(([, { owners }]) => owners.includes(ingressOwner(object))).map(([key]) => key)

const holdersOf = (n: IngressNode) => parseHolders(n.node?.annotations[HOLDERS_ANNOTATION])

const ownersOf = (n: IngressNode, key: string): readonly string[] => holdersOf(n).get(key)?.owners ?? []

/** Since when the mark asks the detacher. Undefined: the mark is of others, or an earlier release set it without the time. */
export const askedDetacher = (n: IngressNode, key: string): AskedDetacher | undefined => holdersOf(n).get(key)?.asked

interface NodeMarkWrite {
  readonly kind: 'join' | 'set'
}

/**
 * The write that is missing for the mark on the Node. A mark that others set asks the same, and gets no holder of ours.
 *
 * Law: a mark for a detacher that others set on a Node is never taken away.
 */
export function missingNodeMark(object: IngressDaemonSet, n: IngressNode): NodeMarkWrite | undefined {
  const mark = object.spec.detach.node
  if (mark === undefined || n.node === undefined) return undefined
  const holders = ownersOf(n, mark.key)
  if (n.node.annotations[mark.key] === undefined) return { kind: 'set' }
  return holders.length === 0 || holders.includes(ingressOwner(object)) ? undefined : { kind: 'join' }
}

/** The mark on the Node is of another program, so its detacher may have acknowledged it long ago. */
export function isMarkOfOthers(object: IngressDaemonSet, n: IngressNode): boolean {
  const key = object.spec.detach.node?.key
  return key !== undefined && n.node?.annotations[key] !== undefined && ownersOf(n, key).length === 0
}

/**
 * Whether the mark is removed with this holder: it is the last one, and nobody else has written another value than one of ours did. That may
 * be another one than the spec names, which is edited, or the value of another object.
 */
export function isLastHolder(object: IngressDaemonSet, n: IngressNode, key: string): boolean {
  const owners = ownersOf(n, key).filter((owner) => owner !== ingressOwner(object))
  const mark = object.spec.detach.node
  const wrote = askedDetacher(n, key)?.value ?? (mark?.key === key ? mark.value : undefined)
  return owners.length === 0 && (wrote === undefined || n.node?.annotations[key] === wrote)
}

/** Something of this object still asks for the node to be out. */
export const asksToBeOut = (object: IngressDaemonSet, n: IngressNode): boolean =>
  ownClaim(object, n) !== undefined || heldKeys(object, n).length > 0 || ownMark(object, n) !== undefined

import { type Claim, parseClaims } from '../../ground/model/claims.ts'
import type { NodeReading } from '../../ground/model/node-reading.ts'
import type { KeptClaim, KeptClaims } from '../model/kept-claims.ts'
import type { AgentSnapshot } from './snapshot.ts'

/**
 * What is to be on the node's disk instead of `kept`. A claim is kept from when it is seen until the API shows, to this
 * very process, the Node object that bore it without it: what a process remembers may be older than what is on the disk.
 * So may what it is told, where another agent of the node is told by another API server.
 *
 * Law: a request leaves the disk of its node by what is newer alone.
 */
export function keptClaims(
  { heard, evidence: { node } }: AgentSnapshot,
  kept: KeptClaims | undefined,
): KeptClaims | undefined {
  if (!heard || node === undefined || node === 'gone' || isOlder(node, kept)) return kept
  const word = parseClaims(node.maintenance)
  switch (word.kind) {
    case 'claimed':
      return seenOn(node, word.claims, kept)
    case 'none':
      return seenOn(node, [], kept)
    case 'unreadable':
      return kept
    case 'withdrawn':
      return undefined
  }
}

/**
 * The claims on the Node, and those on its predecessor. The latter end once their owner claims anew or withdraws them. That of a guard ends
 * with its Node: it says that the node is being drained, and the cordon went with the Node as well. Nobody would withdraw it any more.
 */
function seenOn(node: NodeReading, seen: readonly Claim[], kept: KeptClaims | undefined): KeptClaims | undefined {
  const { uid, resourceVersion } = node
  const before = kept?.claims ?? []
  const isOfAnother = (claim: { readonly uid: string }): boolean => kept?.uid !== uid || claim.uid !== uid
  const isOver = (claim: KeptClaim): boolean =>
    claim.owner.startsWith(GUARD) && claim.uid !== uid && isLater(resourceVersion, kept?.resourceVersion)
  const others = before.filter(
    (claim) => isOfAnother(claim) && !isOver(claim) && seen.every(({ owner }) => owner !== claim.owner),
  )
  if (seen.length === 0 && others.length === before.length) return kept
  const claims = [...seen.map((claim) => ({ ...claim, uid })), ...others]
  return claims.length === 0 ? undefined : { version: 2, uid, resourceVersion, claims }
}

const GUARD = 'guard/'

/** Whether this is an older version of the Node than the one that had the claims. */
const isOlder = (node: NodeReading, kept: KeptClaims | undefined): boolean =>
  kept !== undefined && kept.uid === node.uid && isLater(kept.resourceVersion, node.resourceVersion)

/** Versions of one kind of objects grow (KEP-5504). False where their order is not known. */
function isLater(one: string, other = ''): boolean {
  if (!VERSION.test(one) || !VERSION.test(other)) return false
  return one.length === other.length ? one > other : one.length > other.length
}

const VERSION = /^[1-9]\d*$/

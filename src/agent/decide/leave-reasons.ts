import { type Claim, parseClaims } from '../../ground/model/claims.ts'
import { escapeForeign } from '../../ground/model/foreign-text.ts'
import type { NodeReading } from '../../ground/model/node-reading.ts'
import type { Reason } from '../../ground/model/reason.ts'
import type { KeptClaim } from '../model/kept-claims.ts'
import { cordonState } from './cordon-state.ts'
import { isStale } from './is-stale.ts'
import type { AgentSnapshot } from './snapshot.ts'

type Rule = (s: AgentSnapshot) => Reason | undefined

/**
 * All reasons why the node is to leave its load balancers. Ready=False is not one: a network failure between nodes and control
 * plane turns all nodes NotReady while they serve.
 */
export const leaveReasons = (s: AgentSnapshot): readonly Reason[] => {
  const ofOurs = claimed(s)
  return isStaleUp(s) ? ofOurs : [...ofOurs, ...present(API_RULES.map((rule) => rule(s)))]
}

/**
 * By its options, the agent says `up` once the API server has been away for long. What the API said before then counts no more,
 * except claims.
 */
const isStaleUp = (s: AgentSnapshot): boolean => isStale(s) && s.spec.stale?.answer === 'up'

/** A claim on the disk counts until the API was read without it, however long that takes: see `keptClaims`. */
function claimed(s: AgentSnapshot): readonly Reason[] {
  const word = parseClaims(nodeOf(s)?.maintenance)
  if (word.kind === 'unreadable') return [unreadable(word.why)]
  const seen = word.kind === 'claimed' ? word.claims : []
  const kept = s.kept?.claims.filter(({ owner }) => seen.every((claim) => claim.owner !== owner)) ?? []
  const isKeptKnown = s.kept === undefined || s.kept.claims.length > 0 || seen.length > 0
  return [...seen.map(claimReason), ...kept.map(notOver), ...(isKeptKnown ? [] : [KEPT_UNREADABLE])]
}

const claimReason = (claim: Claim): Reason => ({ code: 'Maintenance', object: claim.owner, text: claimText(claim) })

function claimText({ owner, why }: Claim): string {
  if (owner.startsWith(ROLL)) return `${nameOf(owner)} takes the node out`
  return `${owner} keeps the node out${why === undefined ? '' : `: ${escapeForeign(why, 200)}`}`
}

const unreadable = (why: string): Reason => ({
  code: 'MaintenanceUnreadable',
  text: `the claims on the node cannot be read: ${why}`,
  next: 'remove the annotation evenkeel.dev/maintenance from the node if no work on the node is in progress',
})

const notOver = ({ owner }: KeptClaim): Reason => ({
  code: 'MaintenanceKept',
  object: owner,
  text: `${nameOf(owner)} took the node out, and the API server has not shown the end of its claim`,
  next: `annotate the node with evenkeel.dev/maintenance=withdrawn if ${nameOf(owner)} has ended and there is no other claim`,
})

const KEPT_UNREADABLE: Reason = {
  code: 'MaintenanceKept',
  text: 'a claim on the disk of the node cannot be read, and the API server has not shown that it is over',
  next: 'annotate the node with evenkeel.dev/maintenance=withdrawn if no work on the node is in progress',
}

const ROLL = 'roll/'
/** The owner as people name it: a run by its name. */
const nameOf = (owner: string): string => (owner.startsWith(ROLL) ? `roll ${owner.slice(ROLL.length)}` : owner)

const gone: Rule = ({ evidence }) =>
  evidence.node === 'gone' ? { code: 'NodeGone', text: 'the API server has no Node of that name' } : undefined

const lifecycle: Rule = (s) => {
  const types = nodeOf(s)?.lifecycle ?? []
  return types.length === 0
    ? undefined
    : { code: 'NodeLeaves', text: `the condition ${types.join(', ')} of the node is True` }
}

const deleting: Rule = (s) =>
  nodeOf(s)?.deleting === true ? { code: 'NodeDeleted', text: 'the Node object is being deleted' } : undefined

const removal: Rule = (s) => {
  const keys = nodeOf(s)?.removal ?? []
  return keys.length === 0
    ? undefined
    : { code: 'NodeToBeRemoved', text: `the node is tainted with ${keys.join(', ')}` }
}

const excluded: Rule = (s) =>
  nodeOf(s)?.excluded === true
    ? { code: 'NodeExcluded', text: 'a label keeps the node out of external load balancers' }
    : undefined

const cordoned: Rule = (s) =>
  cordonState(s) === 'counts' ? { code: 'Cordoned', text: 'the node is cordoned' } : undefined

const API_RULES: readonly Rule[] = [gone, lifecycle, deleting, removal, excluded, cordoned]

const nodeOf = ({ evidence: { node } }: AgentSnapshot): NodeReading | undefined => (node === 'gone' ? undefined : node)

const present = (reasons: readonly (Reason | undefined)[]): readonly Reason[] =>
  reasons.filter((reason) => reason !== undefined)

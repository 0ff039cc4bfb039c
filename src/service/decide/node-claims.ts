import {
  type Claim,
  claimsOf,
  formatClaims,
  MAINTENANCE_ANNOTATION,
  parseClaims,
  withoutClaim,
} from '../../ground/model/claims.ts'
import { escapeForeign } from '../../ground/model/foreign-text.ts'
import { pointerToken } from '../../ground/model/json-patch.ts'
import type { Node } from '../../ground/model/node.ts'
import { asciiJson } from '../../ground/model/posix-quote.ts'
import type { Reason } from '../../ground/model/reason.ts'
import { type Command, commandText, kubectl, type Sentence, say } from '../../ground/model/sentence.ts'
import type { ServiceSnapshot } from './service-snapshot.ts'

/** The claim of this owner on the node. */
export const ownClaim = (s: ServiceSnapshot): Claim | undefined =>
  claimsOf(textOn(s.node)).find(({ owner }) => owner === s.owner)

/** The agent does not have a claim of this owner, and the annotation can be extended. */
export const lacksOwnClaim = (s: ServiceSnapshot): boolean =>
  ownClaim(s) === undefined && parseClaims(textOn(s.node)).kind !== 'unreadable'

/**
 * Why a node may not be put back yet: the claims of others on it, or claims that cannot be read. Whatever moves its traffic, a
 * node is put back by the last owner that withdraws.
 *
 * Law: no server is put back into service while the claim of another owner stands on its node.
 */
export function claimedByOthers(s: ServiceSnapshot): readonly Reason[] {
  const unreadable = claimsUnreadable(s)
  if (unreadable !== undefined) return [unreadable]
  const { node } = s
  return withoutClaim(claimsOf(textOn(node)), s.owner).map((claim) => ({
    code: 'ClaimedByOthers',
    object: node.name,
    text: claimText(node, claim),
    next: say`once ${claim.owner} has finished with ${node.name}: ${withdrawal(node, claim.owner)}`,
  }))
}

export function claimsUnreadable({ node }: Pick<ServiceSnapshot, 'node'>): Reason | undefined {
  const word = parseClaims(textOn(node))
  if (word.kind !== 'unreadable') return undefined
  return {
    code: 'ClaimsUnreadable',
    object: node.name,
    text: `the claims on ${node.name} cannot be read: ${word.why}`,
    next: say`once no work on ${node.name} is in progress: ${withoutAll(node)}`,
  }
}

const textOn = ({ annotations }: Node): string | undefined => annotations[MAINTENANCE_ANNOTATION]

function claimText({ name }: Node, { owner, at, why }: Claim): string {
  const since = at === undefined ? '' : ` since ${at}`
  return `${owner} keeps ${name} out${since}${why === undefined ? '' : `: ${escapeForeign(why, 200)}`}`
}

/** A longer command cannot be pasted. */
const COMMAND_LENGTH_MAX = 2_000

/** The command that withdraws the claim of this owner and no other, if the claims have not changed since they were read. */
function withdrawal(node: Node, owner: string): Sentence {
  const value = textOn(node) ?? ''
  const left = withoutClaim(claimsOf(value), owner)
  const path = `/metadata/annotations/${pointerToken(MAINTENANCE_ANNOTATION)}`
  const patch = asciiJson([
    { op: 'test', path, value },
    left.length === 0 ? { op: 'remove', path } : { op: 'replace', path, value: formatClaims(left) },
  ])
  const line = kubectl`patch node ${node.name} --type=json -p ${patch}`
  return commandText(line).length > COMMAND_LENGTH_MAX
    ? `remove its claim from the annotation ${MAINTENANCE_ANNOTATION}`
    : line
}

const withoutAll = ({ name }: Node): Command => kubectl`annotate node ${name} ${MAINTENANCE_ANNOTATION}-`

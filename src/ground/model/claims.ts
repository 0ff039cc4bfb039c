import { isJsonObject, jsonObject } from './json-object.ts'
import { present } from './present.ts'
import { isRunName } from './run-name.ts'
import { WorldError } from './world-error.ts'

/** The annotation with the claims on a Node: while it has one, the node is to be out of its load balancers. */
export const MAINTENANCE_ANNOTATION = 'evenkeel.dev/maintenance'

/** In place of claims, this text withdraws those that an agent has kept of a Node which was registered anew since. */
const WITHDRAWN = 'withdrawn'

/** An owner wants the node out. Each owner has at most one claim, and only the owner adds and withdraws it. */
export interface Claim {
  /** `KIND/NAME`: a roll by its run, an ingress or a guard by its object, a person. */
  readonly owner: string
  /** The id that an acknowledgement names. */
  readonly id: string
  /** ISO 8601; people may leave it out. */
  readonly at?: string
  /** The owner's reason, which is foreign text. */
  readonly why?: string
}

type ClaimsWord =
  | { readonly kind: 'none' | 'withdrawn' }
  /** At least one claim, in the order of their owners. */
  | { readonly kind: 'claimed'; readonly claims: readonly Claim[] }
  /** The node is to be out as well, but this text cannot be acknowledged, extended or withdrawn. */
  | { readonly kind: 'unreadable'; readonly why: string }

/** Enough for sixteen claims of the longest form; a longer text is unreadable. */
export const CLAIMS_LENGTH_MAX = 8_192

/** The owner of a roll's claim. */
export const rollOwner = (run: string): string => `roll/${run}`

/** Any account that may patch nodes can write it: each field is checked, and faults are reported. */
export function parseClaims(text: string | undefined): ClaimsWord {
  if (text === undefined) return { kind: 'none' }
  if (text === WITHDRAWN) return { kind: 'withdrawn' }
  const claims = claimsIn(text)
  if (typeof claims === 'string') return { kind: 'unreadable', why: claims }
  return claims.length === 0 ? { kind: 'none' } : { kind: 'claimed', claims: claims.toSorted(byOwner) }
}

/** Whether a node with such an annotation is to leave its load balancers. */
export function asksToLeave(text: string | undefined): boolean {
  const { kind } = parseClaims(text)
  return kind === 'claimed' || kind === 'unreadable'
}

/** The claims that can be read. */
export function claimsOf(text: string | undefined): readonly Claim[] {
  const word = parseClaims(text)
  return word.kind === 'claimed' ? word.claims : []
}

/** The claims with this one in place of its owner's earlier claim. */
export const withClaim = (claims: readonly Claim[], claim: Claim): readonly Claim[] =>
  [...withoutClaim(claims, claim.owner), claim].toSorted(byOwner)

export const withoutClaim = (claims: readonly Claim[], owner: string): readonly Claim[] =>
  claims.filter((claim) => claim.owner !== owner)

/**
 * The claims with one more, as they stand on the Node of that name.
 *
 * Law: no claim is written that cannot be read back.
 */
export function formatWithClaim(node: string, claims: readonly Claim[], claim: Claim): string {
  const text = formatClaims(withClaim(claims, claim))
  if (text.length > CLAIMS_LENGTH_MAX)
    throw new WorldError(`${node} has no room for one more claim`, { code: 'CLAIMS_FULL', retry: 'backoff' })
  const word = parseClaims(text)
  if (word.kind === 'unreadable')
    throw new WorldError(`${node} takes no such claim: ${word.why}`, { code: 'CLAIM_UNREADABLE', retry: 'backoff' })
  return text
}

/** Equal sets give equal texts. */
export const formatClaims = (claims: readonly Claim[]): string =>
  JSON.stringify({ version: 2, claims: claims.toSorted(byOwner).map(inOrder) })

const inOrder = ({ owner, id, at, why }: Claim): Claim => ({
  owner,
  id,
  ...present({ at, why }),
})

const byOwner = (one: Claim, other: Claim): number => (one.owner < other.owner ? -1 : one.owner > other.owner ? 1 : 0)

type Raw = Readonly<Record<string, unknown>>

/** The claims in the text, or what is wrong with it. */
function claimsIn(text: string): readonly Claim[] | string {
  if (text.length > CLAIMS_LENGTH_MAX) return `it is longer than ${CLAIMS_LENGTH_MAX} characters`
  const raw = jsonObject(text)
  if (raw === undefined) return 'it is not a JSON object'
  if (raw.version === 1) return requestOf(raw)
  if (raw.version !== 2) return 'its version is neither 1 nor 2'
  return Array.isArray(raw.claims) ? setOf(raw.claims) : 'its list of claims is missing'
}

function setOf(list: readonly unknown[]): readonly Claim[] | string {
  const claims = new Map<string, Claim>()
  for (const item of list) {
    const claim = parseClaim(item)
    if (typeof claim === 'string') return claim
    if (claims.has(claim.owner)) return `there are two claims of one owner, ${claim.owner}`
    claims.set(claim.owner, claim)
  }
  return [...claims.values()]
}

const ID = /^[0-9A-Za-z._-]{1,64}$/
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/
const WHY_LENGTH_MAX = 200

/** A claim from outside, or what is wrong with it. */
export function parseClaim(raw: unknown): Claim | string {
  if (!isJsonObject(raw)) return 'a claim is not a JSON object'
  const { owner, id, at, why } = raw
  if (owner === undefined) return 'the owner of a claim is missing'
  if (typeof owner !== 'string' || !isOwner(owner))
    return 'the owner of a claim is not like roll/RUN, ingress/NAME, guard/NAME or person/NAME'
  if (id === undefined) return `the id of ${owner} is missing`
  if (typeof id !== 'string' || !ID.test(id))
    return `the id of ${owner} is not 1 to 64 letters, digits, dots and hyphens`
  if (at !== undefined && !isTime(at)) return `the time of ${owner} is not like 2026-01-01T00:00:00Z`
  if (why !== undefined && !isWhy(why))
    return `the reason of ${owner} is not a text of at most ${WHY_LENGTH_MAX} characters`
  return inOrder({ owner, id, ...present({ at, why }) })
}

const KINDS: ReadonlySet<string> = new Set(['roll', 'ingress', 'guard', 'person'])

/** The name in the owner of a claim, as a regular expression. */
export const OWNER_NAME = '^[0-9A-Za-z][0-9A-Za-z._@-]{0,127}$'
const NAME = new RegExp(OWNER_NAME, 'u')

function isOwner(text: string): boolean {
  const slash = text.indexOf('/')
  const [kind, name] = [text.slice(0, slash), text.slice(slash + 1)]
  return KINDS.has(kind) && (kind === 'roll' ? isRunName(name) : NAME.test(name))
}

const isTime = (value: unknown): value is string => typeof value === 'string' && TIME.test(value)
const isWhy = (value: unknown): value is string => typeof value === 'string' && value.length <= WHY_LENGTH_MAX

/** Version 1 had the request of one run, with its time as any short text. Nodes have it until that run is over. */
function requestOf({ id, run, at }: Raw): readonly Claim[] | string {
  if (id === undefined) return 'the id is missing'
  if (typeof id !== 'string' || !ID.test(id)) return 'the id is not 1 to 64 letters, digits, dots and hyphens'
  if (typeof run !== 'string' || !isRunName(run)) return 'the run is not the name of a run'
  if (typeof at !== 'string' || at.length > 64) return 'the time is not a text of at most 64 characters'
  return [{ owner: rollOwner(run), id, ...(isTime(at) ? { at } : {}) }]
}

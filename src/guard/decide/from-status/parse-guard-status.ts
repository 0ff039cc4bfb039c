import { Untrusted } from '../../../ground/model/untrusted.ts'
import type { CheckedGuard } from '../guard-kind.ts'

/** A node that the status lists, which means that it is not Armed. */
export interface ListedNode {
  readonly name: string
  readonly state: string
  /** The code of why it is there. */
  readonly reason?: string
  /** The reason as a sentence. */
  readonly message?: string
  /** ISO 8601, as all times here. */
  readonly since?: string
  readonly requestedAt?: string
  /** From when its place in the queue counts; absent: from `requestedAt`. */
  readonly waitedFrom?: string
}

/** A grant that passed over a hold. */
interface ListedRelease {
  readonly node: string
  readonly by: string
  readonly why?: string
  readonly at: string
  readonly passedOver?: string
}

/** What the controller says of a NodeGuard. */
export interface GuardStatus {
  readonly desired: number
  readonly guarded: number
  readonly requested: number
  readonly held: number
  readonly granted?: string
  readonly nodes: readonly ListedNode[]
  /** True if more nodes than these are not Armed. */
  readonly truncated: boolean
  /** The newest first. */
  readonly released: readonly ListedRelease[]
}

/** Throws MalformedReply where a field is of another type than the schema says. */
export function parseGuardStatus({ status }: Pick<CheckedGuard, 'status'>): GuardStatus {
  const fields = new Untrusted(status.fields, 'status')
  return {
    desired: fields.at('desiredNodes').integerOr(0),
    guarded: fields.at('guardedNodes').integerOr(0),
    requested: fields.at('requestedNodes').integerOr(0),
    held: fields.at('heldNodes').integerOr(0),
    ...texts(fields, { granted: 'grantedNode' }),
    nodes: fields.at('nodes').each().map(listedNode),
    truncated: fields.at('truncated').flagOr(false),
    released: fields.at('released').each().map(listedRelease),
  }
}

const listedNode = (node: Untrusted): ListedNode => ({
  name: node.at('name').textOr(''),
  state: node.at('state').textOr(''),
  ...texts(node, {
    reason: 'reason',
    message: 'message',
    since: 'since',
    requestedAt: 'requestedAt',
    waitedFrom: 'waitedFrom',
  }),
})

const listedRelease = (entry: Untrusted): ListedRelease => ({
  node: entry.at('node').textOr(''),
  by: entry.at('by').textOr(''),
  at: entry.at('at').textOr(''),
  ...texts(entry, { why: 'why', passedOver: 'passedOver' }),
})

/** The fields that are there, each by our name of it. */
function texts<K extends string>(of: Untrusted, fields: Readonly<Record<K, string>>): { readonly [P in K]?: string } {
  const found = Object.entries<string>(fields).flatMap(([ours, theirs]) => {
    const text = of.at(theirs).optionalText()
    return text === undefined ? [] : [[ours, text] as const]
  })
  return Object.fromEntries(found) as { readonly [P in K]?: string }
}

const placeSince = ({ waitedFrom, requestedAt }: ListedNode): number => {
  const at = Date.parse(waitedFrom ?? requestedAt ?? '')
  return Number.isNaN(at) ? Number.POSITIVE_INFINITY : at
}

/** The listed nodes that ask and are not granted, in the order in which they are granted once nothing holds them. */
export const queueOf = ({ nodes }: GuardStatus): readonly ListedNode[] =>
  nodes
    .filter(({ state }) => state === 'Requested' || state === 'Held')
    .toSorted((one, other) => placeSince(one) - placeSince(other) || (one.name < other.name ? -1 : 1))

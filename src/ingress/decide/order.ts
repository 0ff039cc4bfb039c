import { hash } from 'node:crypto'
import type { NodeView, Pass } from './pass.ts'

/** The zone of a node. All nodes of a zone are done before the next zone. Nodes without the label are in a zone without a name. */
export const zoneOf = ({ s }: Pass, { node }: NodeView): string => node?.labels[s.object.spec.rollout.zoneKey] ?? ''

export const isCanary = ({ s }: Pass, { node }: NodeView): boolean => {
  const { canary } = s.object.spec.rollout
  return canary !== undefined && Object.entries(canary).every(([key, value]) => node?.labels[key] === value)
}

/** A hash of the node and the object, which is the same in each pass and after each restart. */
const place = ({ s }: Pass, { name }: NodeView): string => hash('sha256', `${s.object.uid}/${name}`)

/**
 * The order of the nodes: first those that hold a slot, those that go anyway, and those that others wait for; then the rollout with its
 * canary nodes, the nodes that are out already, and the others by zone and by a hash. Nodes whose operation was refused come last, by the
 * time of the refusal, since their slot was released for the others.
 */
export function inOrder(pass: Pass, nodes: readonly NodeView[]): readonly NodeView[] {
  const keyed = nodes.map((n) => {
    const rank = rankOf(pass, n)
    const refusedAt = rank === REFUSED ? (pass.s.unbegun?.get(n.name) ?? 0) : 0
    return { n, rank, refusedAt, zone: zoneOf(pass, n), hash: place(pass, n) }
  })
  return keyed
    .toSorted(
      (a, b) => a.rank - b.rank || a.refusedAt - b.refusedAt || compare(a.zone, b.zone) || compare(a.hash, b.hash),
    )
    .map(({ n }) => n)
}

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)

const REFUSED = 7
/** A node that others wait for comes first again after this time. */
const OTHERS_FIRST_MS = 60_000

function rankOf(pass: Pass, n: NodeView): number {
  if (n.slot.kind === 'ours') return 0
  if (n.isGoing) return 1
  const refusedAt = pass.s.unbegun?.get(n.name)
  const isWaitedFor = n.state === 'Leaving' || n.state === 'Maintenance'
  if (refusedAt !== undefined && (!isWaitedFor || pass.s.now - refusedAt < OTHERS_FIRST_MS)) return REFUSED
  if (isWaitedFor) return n.state === 'Leaving' ? 2 : 3
  if (isCanary(pass, n)) return 4
  return n.isServing ? 6 : 5
}

import { hash } from 'node:crypto'
import type { NodeView, Pass } from './pass.ts'
import { actionKey } from './refusals.ts'

/** All nodes of a zone are done before one of the next. A node without the label is of a zone without a name. */
export const zoneOf = ({ s }: Pass, { node }: NodeView): string => node?.labels[s.object.spec.rollout.zoneKey] ?? ''

export const isCanary = ({ s }: Pass, { node }: NodeView): boolean => {
  const { canary } = s.object.spec.rollout
  return canary !== undefined && Object.entries(canary).every(([key, value]) => node?.labels[key] === value)
}

/** The same for the same node at each pass and after each restart, and another one for another object. */
const place = ({ s }: Pass, { name }: NodeView): string => hash('sha256', `${s.object.uid}/${name}`)

/**
 * Who is asked first: who holds a slot already, who goes anyway, who others wait for, and then the rollout: its canary
 * nodes, nodes that are out already, and the others by zone, and by a hash. A node that could not be begun comes last for a while: its
 * slot was given back for the others.
 */
export function inOrder(pass: Pass, nodes: readonly NodeView[]): readonly NodeView[] {
  const keyed = nodes.map((n) => ({ n, rank: rankOf(pass, n), zone: zoneOf(pass, n), hash: place(pass, n) }))
  return keyed
    .toSorted((a, b) => a.rank - b.rank || compare(a.zone, b.zone) || compare(a.hash, b.hash))
    .map(({ n }) => n)
}

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)

function rankOf(pass: Pass, n: NodeView): number {
  if (n.slot.kind === 'ours') return 0
  if (n.isGoing) return 1
  if (pass.s.refusals?.has(actionKey({ kind: 'writeOp', node: n.name })) === true) return 7
  if (n.state === 'Leaving') return 2
  if (n.state === 'Maintenance') return 3
  if (isCanary(pass, n)) return 4
  return n.isServing ? 6 : 5
}

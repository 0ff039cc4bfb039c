import { formatMinSec } from '../../ground/model/duration.ts'
import { REASONS, type ReasonCode } from '../../ground/model/reasons/catalogue.ts'
import { tableLines } from '../../ground/text/table-lines.ts'
import type { Line } from '../../ground/text/terminal/style.ts'
import type { CheckedIngress } from '../decide/ingress-kind.ts'
import { OP_ANNOTATION, parseOp } from '../decide/op.ts'
import { nodeOf } from '../decide/rollout/requests.ts'
import type { ListedNode, RolloutState } from '../decide/rollout/rollout-state.ts'
import type { RolloutReading } from '../run/commands/rollout-watch.ts'

/** A node as it is shown. */
interface ShownNode extends ListedNode {
  /** Milliseconds since the epoch: when what is under way there began. */
  readonly since?: number
}

export function shownNodes(state: RolloutState, { deployments }: RolloutReading): readonly ShownNode[] {
  const begun = new Map(
    deployments.flatMap((deployment) => {
      const word = parseOp(deployment.annotations[OP_ANNOTATION])
      return word.kind === 'op' ? [[nodeOf(deployment), word.op.t0] as const] : []
    }),
  )
  return state.nodes.map((node) => {
    const since = begun.get(node.name)
    return since === undefined ? node : { ...node, since }
  })
}

const COUNTS = [
  'desiredNodes',
  'updatedNodes',
  'readyNodes',
  'detachedNodes',
  'stuckNodes',
  'unavailableNodes',
] as const

export const countsOf = ({ status }: CheckedIngress): Readonly<Record<(typeof COUNTS)[number], number>> => {
  const countOf = (key: string): number => (typeof status.fields[key] === 'number' ? status.fields[key] : 0)
  return Object.fromEntries(COUNTS.map((key) => [key, countOf(key)])) as Record<(typeof COUNTS)[number], number>
}

/** `1 of 3 nodes updated, 2 in service, 1 detached`. */
export function countsText(object: CheckedIngress): string {
  const { desiredNodes, updatedNodes, readyNodes, detachedNodes, stuckNodes } = countsOf(object)
  return [
    `${updatedNodes} of ${desiredNodes} nodes updated`,
    `${readyNodes} in service`,
    ...(detachedNodes > 0 ? [`${detachedNodes} detached`] : []),
    ...(stuckNodes > 0 ? [`${stuckNodes} stuck`] : []),
  ].join(', ')
}

/** Why a node is where it is: what its status says, or that its turn has not come. */
export const whyOf = ({ state, message }: ListedNode): string =>
  message ?? (state === 'Queued' ? 'waits for its turn' : '-')

interface Show {
  readonly now: number
  /** So many nodes at most. */
  readonly most: number
}

/** What the nodes that are not in service do, those that need a person first. */
export function nodeLines(nodes: readonly ShownNode[], { now, most }: Show): readonly Line[] {
  if (nodes.length === 0) return []
  const shown = nodes.length > most ? nodes.slice(0, Math.max(1, most - 1)) : nodes
  const rows = shown.map((node) => [
    node.name,
    node.state,
    node.since === undefined ? '-' : formatMinSec(now - node.since),
    whyOf(node),
  ])
  const left = (title: string) => ({ title, align: 'left' }) as const
  const columns = [left('NODE'), left('STATE'), { title: 'FOR', align: 'right' } as const, left('WHY')]
  const rest = nodes.length - shown.length
  return [
    ...tableLines(columns, rows).map((text): Line => [text]),
    ...(rest === 0 ? [] : [[`  and ${rest} more, which wait`]]),
  ]
}

/** What a person can do about the reasons that nodes give, one line each. */
export function cureLines(nodes: readonly ListedNode[]): readonly Line[] {
  const codes = [...new Set(nodes.flatMap(({ reason }) => reason ?? []))]
  return codes.flatMap((code): readonly Line[] => {
    const entry = Object.hasOwn(REASONS, code) ? REASONS[code as ReasonCode] : undefined
    if (entry === undefined || entry.cure === '' || entry.cure.startsWith('Nothing to do')) return []
    return [[`  ${code}: ${entry.cure}`]]
  })
}

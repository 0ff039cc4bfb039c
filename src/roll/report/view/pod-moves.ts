import { countOf } from '../../../ground/text/count-text.ts'
import type { StampedEvent } from '../../model/roll-event.ts'

/** How often pods of one workload were moved by a roll. */
export interface WorkloadMoves {
  /** `Kind namespace/name`. */
  readonly workload: string
  readonly moved: number
  /** How many pods the workload wanted when one was last moved. */
  readonly replicas: number
}

type Moved = Extract<StampedEvent, { type: 'pod.moved' }>

/** A pod without a workload is moved at most once: no other pod replaces it. */
export function withMove(moves: readonly WorkloadMoves[], { workload, replicas }: Moved): readonly WorkloadMoves[] {
  if (workload === undefined || replicas === undefined) return moves
  const index = moves.findIndex((known) => known.workload === workload)
  const moved = (moves[index]?.moved ?? 0) + 1
  const now = { workload, moved, replicas }
  return index < 0 ? [...moves, now] : moves.with(index, now)
}

const SHOWN_MAX = 3

/** The view of a roll, or its report. */
interface Moves {
  readonly nodes: readonly { readonly podsMoved: number }[]
  readonly moves: readonly WorkloadMoves[]
}

/** By all processes of the run. */
export const podsMoved = ({ nodes }: Moves): number => nodes.reduce((sum, node) => sum + node.podsMoved, 0)

export const movesOf = ({ moves }: Moves): readonly WorkloadMoves[] => moves.toSorted((a, b) => perPod(b) - perPod(a))

/** `12 pods moved; 2 workloads had more moves than replicas: …`. */
export function movesText(view: Moves): string {
  const moved = `${countOf(podsMoved(view), 'pod')} moved`
  const often = movesOf(view).filter(isOften)
  if (often.length === 0) return moved
  const more = often.length - SHOWN_MAX
  const list = [...often.slice(0, SHOWN_MAX).map(oftenText), ...(more > 0 ? [`and ${more} more`] : [])].join(', ')
  return `${moved}; ${countOf(often.length, 'workload')} had more moves than replicas: ${list}`
}

/** A workload that was scaled to 0 meanwhile counts as if it had one pod. */
const perPod = ({ moved, replicas }: WorkloadMoves): number => moved / Math.max(1, replicas)

export const isOften = (moves: WorkloadMoves): boolean => perPod(moves) > 1

const oftenText = ({ workload, moved, replicas }: WorkloadMoves): string =>
  `${workload} (${countOf(moved, 'move')}, ${countOf(replicas, 'replica')})`

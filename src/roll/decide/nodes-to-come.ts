import type { Node } from '../../ground/model/node.ts'
import type { Reason } from '../../ground/model/reason.ts'
import { markedBy, TO_COME_KEY } from '../../ground/model/to-come.ts'
import { act, type StepAnswer } from '../../service/decide/step-answer.ts'
import { type Action, actionKey } from '../../service/model/action.ts'
import type { NodeSnapshot } from './node-snapshot.ts'

/** A few at a time, so that a large roll does not write in a burst. */
const AT_ONCE = 8
/** The mark is a preference: a node that cannot be marked delays nothing. */
const TRIES = 3

/**
 * Before the record of a node, where the file asks for it: the nodes that the run begins later get a mark that new pods avoid,
 * and this node gets none. So an evicted pod goes to a node that is done, if one takes it, and moves only once. A mark takes
 * nothing out: which nodes are out is counted later, at the record. Undefined: the marks are complete.
 */
export function marksToSet(s: NodeSnapshot): StepAnswer | undefined {
  if (s.spec.drain.preferDone !== true) return undefined
  const due = marksDue(s).filter((action) => isStillTried(s, action))
  return due.length === 0 ? undefined : act(due.slice(0, AT_ONCE), notMarked(s))
}

function marksDue(s: NodeSnapshot): readonly Action[] {
  const written = new Set(s.evidence.marked)
  const inWork = new Set([s.current.node.name, ...(s.run.beside ?? []).map(({ node }) => node)])
  const toCome = new Set(s.run.order.filter((name) => !s.run.done.includes(name) && !inWork.has(name)))
  return s.cluster.nodes.flatMap((known): readonly Action[] => {
    const node = known.name === s.current.node.name ? s.current.node : known
    if (written.has(node.name)) return []
    if (!toCome.has(node.name)) return isMarked(node, s.run.id) ? [unmark(node)] : []
    return node.taints.some(({ key }) => key === TO_COME_KEY) ? [] : [{ kind: 'markToCome', node: node.name }]
  })
}

const isStillTried = ({ evidence, current }: NodeSnapshot, action: Action): boolean =>
  action.node === current.node.name || (evidence.retries[actionKey(action)]?.failures ?? 0) < TRIES

/** The marks that the end of a run has to remove, a few at a time. */
export const marksLeft = (nodes: readonly Node[], run: string): readonly UnmarkAction[] =>
  nodes.filter((node) => isMarked(node, run)).map(unmark)

export const nextMarks = <T>(left: readonly T[]): readonly T[] => left.slice(0, AT_ONCE)

type UnmarkAction = Extract<Action, { kind: 'unmarkToCome' }>

/** The mark of another run is left to that run. */
const isMarked = (node: Node, run: string): boolean => markedBy(node) === run

const unmark = ({ name }: Node): UnmarkAction => ({ kind: 'unmarkToCome', node: name })

const notMarked = ({ current }: NodeSnapshot): Reason => ({
  code: 'NotMarked',
  text: `the nodes after ${current.node.name} are not marked yet, so evicted pods would go to them as well`,
})

import type { JsonPatch } from '../../ground/model/json-patch.ts'
import type { Node } from '../../ground/model/node.ts'
import { commandText } from '../../ground/model/sentence.ts'
import { markedBy, TO_COME_KEY, toComeTaint, unmarkCommand } from '../../ground/model/to-come.ts'
import type { Cluster } from '../../ground/ports/cluster.ts'
import type { Action } from '../../service/model/action.ts'
import type { Outcome } from '../../service/model/outcome.ts'
import { marksLeft, nextMarks } from '../decide/nodes-to-come.ts'
import { describeAction } from './describe-action.ts'
import { addTaintPatch, sameNode } from './node-patch.ts'
import { answered, type RunEnding, requireLiveSlot, untilNoneLeft } from './until-none-left.ts'

type Mark = Extract<Action, { kind: 'markToCome' | 'unmarkToCome' }>

interface Marking {
  readonly run: string
  readonly cluster: Pick<Cluster, 'readNode' | 'patchNode'>
}

/** A Node that has lost its object has lost its mark with it. */
export async function writeMark(action: Mark, { run, cluster }: Marking, signal: AbortSignal): Promise<Outcome> {
  const node = await cluster.readNode(action.node, signal)
  if (node === undefined) return { ok: true }
  if (action.kind === 'markToCome') {
    const isFree = node.taints.every(({ key }) => key !== TO_COME_KEY)
    if (isFree) await cluster.patchNode(node.name, addTaintPatch(node, toComeTaint(run)), signal)
    return { ok: true }
  }
  const patch = unmarkPatch(node, run)
  return { ok: true, node: patch === undefined ? node : await cluster.patchNode(node.name, patch, signal) }
}

/** Removes the mark of this run, never the mark of another run. Undefined: the Node has no mark of this run. */
function unmarkPatch(node: Node, run: string): JsonPatch | undefined {
  if (markedBy(node) !== run) return undefined
  const path = `/spec/taints/${node.taints.findIndex(({ key }) => key === TO_COME_KEY)}`
  return [
    ...sameNode(node),
    { op: 'test', path: `${path}/key`, value: TO_COME_KEY },
    { op: 'test', path: `${path}/value`, value: run },
    { op: 'remove', path },
  ]
}

interface TakingOff extends RunEnding {
  readonly cluster: Pick<Cluster, 'list' | 'readNode' | 'patchNode'>
}

/**
 * Whatever the end of a run is, no node bears a mark of it any more: the list is asked, since a watch may not show yet what
 * was written a moment ago. It needs no slot, which the run may have given back: the mark is the run's own, and counts for
 * none. A slot that is held and not renewed still stops it.
 */
export async function takeOffMarks(parts: TakingOff, signal: AbortSignal): Promise<void> {
  const { run, view, events, cluster } = parts
  let left = marksLeft(view.reading().nodes, run.id)
  if (run.spec.drain.preferDone !== true && left.length === 0) return
  const failure = await untilNoneLeft(
    parts,
    async () => {
      left = marksLeft(await answered(parts, (limited) => cluster.list('nodes', limited), signal), run.id)
      requireLiveSlot(parts)
      await Promise.all(nextMarks(left).map((action) => takeOff(parts, action, signal)))
      return { found: left.length }
    },
    signal,
  )
  if (failure === undefined) return
  const names = left.map(({ node }) => node)
  events.emit({ type: 'warning', text: leftText(names, failure) })
}

async function takeOff(parts: TakingOff, action: Mark, signal: AbortSignal): Promise<void> {
  const marking = { run: parts.run.id, cluster: parts.cluster }
  await answered(parts, (limited) => writeMark(action, marking, limited), signal)
  parts.events.emit({ type: 'write', node: action.node, action: action.kind, text: describeAction(action), ok: true })
}

const leftText = (nodes: readonly string[], error: string): string =>
  nodes.length === 0
    ? `nodes may still bear the taint ${TO_COME_KEY} of this run (${error}); the next plan names them`
    : `${nodes.join(', ')} still ${nodes.length === 1 ? 'bears' : 'bear'} the taint ${TO_COME_KEY} of this run (${error}); to take it off: ${commandText(unmarkCommand(nodes))}`

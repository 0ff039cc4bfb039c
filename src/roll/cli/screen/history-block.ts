import { formatDuration } from '../../../ground/model/duration.ts'
import type { Node } from '../../../ground/model/node.ts'
import { evenkeel, plainText } from '../../../ground/model/sentence.ts'
import { countOf } from '../../../ground/text/count-text.ts'
import type { Block } from '../../../ground/text/labelled-block.ts'
import type { Paste } from '../../../ground/text/paste.ts'
import { RECORD_ANNOTATION } from '../../../service/model/node-record.ts'
import { parseNodeRecord } from '../../../service/model/parse-node-record.ts'
import { currentHold, currentStep, type NodeView, type RollView } from '../../report/view/roll-view.ts'
import { markText, measuredText, progressText, stepNumber } from './node-text.ts'
import { originRows } from './origin-rows.ts'
import { reasonsText } from './reasons-text.ts'

interface ShownHistory {
  readonly run: string
  readonly running: boolean
  readonly paste: Paste
  /** What the Nodes in work show now, one line each: the journal may lack the end. Absent: they were not asked for. */
  readonly nodesNow?: readonly string[]
}

/** A roll that has no end in its journal: one that runs, or whose process is gone. */
export function historyBlock(history: ShownHistory, view: RollView, now: number): Block {
  const done = view.nodes.filter(({ state }) => state === 'ended').length
  const counts = `${done} of ${countOf(view.nodes.length, 'node')} done`
  const inWork = view.nodes.filter(({ state }) => state === 'inWork')
  const states = inWork.map((node) => nodeText(node, history.running ? now : view.lastAt))
  const since = view.startedAt === undefined ? '' : `, begun ${formatDuration(now - view.startedAt)} ago`
  const guarded = history.running && view.end !== undefined ? '; it has ended and keeps a node out until Ctrl-C' : ''
  return {
    word: history.running ? 'RUNNING' : 'INTERRUPTED',
    title: `${view.cluster}: ${counts}${since}${history.running ? guarded : '; its process is gone'}`,
    rows: [
      ...originRows(view),
      { label: 'state', texts: [...states, measuredText(view)] },
      ...(history.nodesNow === undefined ? [] : [{ label: 'now', texts: history.nodesNow }]),
      ...(history.running ? [] : [{ label: 'next', texts: nextOf(history) }]),
    ],
  }
}

/** What a Node shows of a run whose process is gone. */
export function nodeNowText(name: string, node: Node | undefined, run: string): string {
  if (node === undefined) return `${name} is no Node of the cluster any more`
  const cordon = node.unschedulable ? 'cordoned' : 'not cordoned'
  const text = node.annotations[RECORD_ANNOTATION]
  if (text === undefined) return `${name} is ${cordon}, and its Node bears no record: nothing of this run is left on it`
  const record = parseNodeRecord(text)
  if (!record.ok) return `${name} is ${cordon}, and the record on its Node cannot be read: ${record.why}`
  return record.value.run === run
    ? `${name} is ${cordon}, and its Node bears the record of this run: it is not put back`
    : `${name} is ${cordon}, and its Node bears the record of run ${record.value.run}`
}

function nodeText(node: NodeView, at: number): string {
  const step = currentStep(node)
  if (step === undefined) return `${node.name}: between two steps, ${markText(node)}`
  const hold = currentHold(step)
  const where = `at step ${stepNumber(step).replace('/', ' of ')} (${step.step}) for ${formatDuration(at - step.startedAt)}`
  const held = hold === undefined ? [] : [`held ${formatDuration(at - hold.startedAt)}: ${reasonsText(hold.reasons)}`]
  const progress = progressText(step)
  return [`${node.name}: ${where}, ${markText(node)}`, ...(progress === '' ? [] : [progress]), ...held].join('; ')
}

const nextOf = ({ run, paste }: { readonly run: string; readonly paste: Paste }) => [
  { command: plainText(paste(evenkeel`roll resume ${run}`)), note: 'go on' },
  { command: plainText(paste(evenkeel`roll abort ${run}`)), note: 'end; put back what is out' },
]

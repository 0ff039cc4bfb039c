import { type Command, commandText, isCommand } from '../../../ground/model/sentence.ts'
import type { Block, BlockRow } from '../../../ground/text/labelled-block.ts'
import type { NodeResult, RollOutcome } from '../../model/roll-event.ts'
import { STEPS } from '../../model/step.ts'
import { outageViews } from '../../report/view/outage-view.ts'
import type { RollView } from '../../report/view/roll-view.ts'
import { stopRows } from '../../report/view/stop-text.ts'
import { causeText, outageClassText, outageSpanText, reloadLossText } from '../../report/view/window-text.ts'
import { measuredText, stepNumber } from './node-text.ts'

const WORDS: Readonly<Record<RollOutcome, string>> = {
  completed: 'DONE',
  stopped: 'STOPPED',
  aborted: 'ABORTED',
  held: 'HELD',
  interrupted: 'INTERRUPTED',
}
const SHOWN_MAX = 5

/** The end of a roll that did not complete: what happened, why, the state of each node, what to type next. */
export function endBlock(view: RollView): Block | undefined {
  const { end } = view
  if (end === undefined || end.outcome === 'completed') return undefined
  return {
    word: WORDS[end.outcome],
    tone: end.outcome === 'held' ? 'hold' : 'stop',
    title: titleOf(view, end.outcome),
    rows: [whatRow(view), whyRow(view), ...stopRows(view), stateRow(view), ...journalRows(view), nextRow(view)],
  }
}

function titleOf(view: RollView, outcome: RollOutcome): string {
  const total = view.nodes.length
  const done = (view.end?.standings ?? []).filter(({ state }) => state === 'inService').length
  const under = underWay(view)
  const first = outcome === 'aborted' ? undefined : view.end?.reasons[0]?.text
  const reason = first === undefined ? '' : `: ${first}`
  if (outcome === 'aborted' && under === undefined)
    return `after ${done} of ${total} nodes; every node that was out was put back`
  if (under?.step === undefined || outcome === 'stopped') return `after ${done} of ${total} nodes${reason}`
  const at = `${under.node} at step ${stepNumber({ step: under.step }).replace('/', ' of ')} (${under.step})`
  return outcome === 'interrupted' ? `${at}; ${done} of ${total} nodes done` : `${at}${reason}`
}

const underWay = (view: RollView): NodeResult | undefined => view.end?.standings.find(({ state }) => state === 'out')

function whatRow({ windows }: RollView): BlockRow {
  const outages = outageViews(windows)
  const texts = outages
    .slice(0, SHOWN_MAX)
    .flatMap((view) => [outageSpanText(view), `${outageClassText(view)}: ${view.window.firstError}`, causeText(view)])
  const more = outages.length - SHOWN_MAX
  const rest = more > 0 ? [`and ${more} more windows`] : []
  const lost = reloadLossText(windows)
  return { label: 'what', texts: [...texts, ...rest, ...(lost === undefined ? [] : [lost])] }
}

/** The first reason is in the title, except for an interrupted roll, whose title says where it was. */
function whyRow({ end }: RollView): BlockRow {
  const inTitle = end?.outcome === 'interrupted' ? 0 : 1
  const texts = (end?.reasons ?? []).slice(inTitle, inTitle + SHOWN_MAX).map(({ text }) => text)
  return { label: 'why', texts }
}

/** What the disk refused. */
export const journalRows = ({ end }: RollView): readonly BlockRow[] =>
  end?.unwritten === undefined ? [] : [{ label: 'journal', texts: [end.unwritten] }]

/** Nodes with the same state are named together; those that need a person come first. */
function stateRow(view: RollView): BlockRow {
  const standings = view.end?.standings ?? []
  const texts = new Map<string, string[]>()
  for (const { node, text } of standings.toSorted((a, b) => rankOf(a) - rankOf(b))) {
    texts.set(text, [...(texts.get(text) ?? []), node])
  }
  const lines = [...texts].map(([text, nodes]) => `${namesText(nodes)}: ${text}`)
  const guarded = view.end?.guarded ?? []
  const kept =
    guarded.length === 0
      ? []
      : [`until Ctrl-C ${guarded.join(', ')} is kept out of its balancers: the state that a reload loses is set again`]
  return { label: 'state', texts: [...lines, ...kept, measuredText(view)] }
}

const rankOf = ({ state }: NodeResult): number => ['out', 'gone', 'restored', 'inService', 'notTouched'].indexOf(state)

function namesText(nodes: readonly string[]): string {
  return nodes.length <= 8 ? nodes.join(', ') : `${nodes.slice(0, 6).join(', ')} and ${nodes.length - 6} more`
}

function nextRow(view: RollView): BlockRow {
  const next = view.end?.next ?? []
  const texts = next.map((one) =>
    isCommand(one) ? { command: commandText(one), note: noteOf(one, underWay(view)) } : one,
  )
  return { label: 'next', texts }
}

function noteOf({ words: [, sub] }: Command, under: NodeResult | undefined): string {
  const at = under?.step === undefined ? '' : ` with ${under.node} at ${under.step}`
  if (sub === 'resume') return `go on${at}`
  if (sub !== 'abort') return ''
  // From the reboot on a node does not serve before its proof, in an abort either.
  const away = under?.step !== undefined && STEPS.indexOf(under.step) >= STEPS.indexOf('reboot')
  const node =
    under === undefined ? '' : `; ${away ? `attach ${under.node} once it is proven` : `put ${under.node} back now`}`
  return `end${node}`
}

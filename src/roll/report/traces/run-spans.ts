import type { NodeResult, StampedEvent } from '../../model/roll-event.ts'
import { rollViewOf } from '../view/reduce-roll.ts'
import type { NodeView, RollView, StepView } from '../view/roll-view.ts'
import type { Attributes, Span, SpanEvent, SpanPlace } from './span.ts'
import { spanEvents } from './span-events.ts'

/** The run, a span for each node that was begun, and one for each time that a step was entered; parents come first. */
export function runSpans(events: readonly StampedEvent[]): readonly Span[] {
  const view = rollViewOf(events)
  if (view.startedAt === undefined) return []
  const found = Map.groupBy(spanEvents(events, view), ({ place }) => JSON.stringify(pathOf(view, place)))
  const eventsAt = (path: readonly string[]): readonly SpanEvent[] =>
    (found.get(JSON.stringify(path)) ?? []).map(({ event }) => event).sort((a, b) => a.at - b.at)
  const recorded = new Set(events.flatMap((event) => (event.type === 'step.ended' ? [endKey(event, event.at)] : [])))
  const made: readonly Omit<Span, 'events'>[] = [
    rollSpan(view, view.startedAt),
    ...view.nodes.flatMap((node) => nodeSpans(node, view, recorded)),
  ]
  return made.map((span) => ({ ...span, events: eventsAt(span.path) }))
}

function pathOf({ nodes }: RollView, { node: name, step, at }: SpanPlace): readonly string[] {
  const node = nodes.find((one) => one.name === name)
  if (node?.startedAt === undefined) return []
  const index = node.steps.findLastIndex(
    (entered) => entered.startedAt <= at && (step === undefined || entered.step === step),
  )
  return index < 0 ? [node.name] : [node.name, String(index)]
}

function rollSpan(view: RollView, startedAt: number): Omit<Span, 'events'> {
  const { end, load, nodes } = view
  const measured = load?.inBaseline === true ? undefined : load
  return {
    path: [],
    name: 'roll',
    ...spanTimes(startedAt, end === undefined ? undefined : view.lastAt, view.lastAt),
    attributes: {
      'evenkeel.run': view.run,
      'evenkeel.roll': view.cluster,
      'evenkeel.outcome': end?.outcome,
      'evenkeel.exit_code': end?.exitCode,
      'evenkeel.reason.code': end?.reasons.map(({ code }) => code),
      'evenkeel.nodes': nodes.length,
      'evenkeel.nodes.done': nodes.filter((node) => resultOf(node, view)?.state === 'inService').length,
      'evenkeel.requests.sent': measured?.sent,
      'evenkeel.requests.failed': measured?.failed,
      'evenkeel.requests.excused': measured?.excused,
      'evenkeel.requests.retried': measured?.retried,
      'evenkeel.not_measured_ms': measured?.notMeasuredMs,
      ...unfinished(end === undefined),
    },
    ...(end === undefined || end.exitCode === 0
      ? {}
      : { error: end.reasons.map(({ text }) => text).join('; ') || end.outcome }),
  }
}

function nodeSpans(node: NodeView, view: RollView, recorded: ReadonlySet<string>): readonly Omit<Span, 'events'>[] {
  const { name, startedAt, steps } = node
  if (startedAt === undefined) return []
  const standing = resultOf(node, view)
  const failed = standing !== undefined && FAILED.includes(standing.state) ? { error: standing.text } : {}
  // A node that was out and is resumed still has the end of the earlier process.
  const endedAt = node.state === 'ended' ? node.endedAt : undefined
  const failedAt = standing?.state === 'restored' ? -1 : steps.findLastIndex(({ step }) => step === standing?.step)
  return [
    {
      path: [name],
      name: 'node',
      ...spanTimes(startedAt, endedAt, view.lastAt),
      attributes: {
        'k8s.node.name': name,
        'evenkeel.standing': standing?.state,
        'evenkeel.pods.moved': node.standing?.podsMoved ?? node.podsMoved,
        'evenkeel.requests.failed': standing?.failedRequests,
        ...unfinished(endedAt === undefined),
      },
      ...failed,
    },
    ...steps.map((step, index) => ({
      path: [name, String(index)],
      name: step.step,
      ...spanTimes(step.startedAt, step.endedAt, view.lastAt),
      attributes: { 'k8s.node.name': name, ...unfinished(!isRecorded(step, name, recorded)) },
      ...(index === failedAt ? failed : {}),
    })),
  ]
}

const FAILED: readonly NodeResult['state'][] = ['out', 'gone', 'restored']

const resultOf = ({ name, state, standing }: NodeView, { end }: RollView): NodeResult | undefined =>
  end?.standings.find(({ node }) => node === name) ?? (state === 'ended' ? standing : undefined)

/** A process that was killed records no end of its step: the view ends the step at the last event of that process. */
const isRecorded = ({ step, endedAt }: StepView, node: string, recorded: ReadonlySet<string>): boolean =>
  endedAt !== undefined && recorded.has(endKey({ node, step }, endedAt))

const endKey = ({ node, step }: { readonly node: string; readonly step: string }, at: string | number): string =>
  JSON.stringify([node, step, new Date(at).getTime()])

const unfinished = (isSo: boolean): Attributes => (isSo ? { 'evenkeel.unfinished': true } : {})

/** Clocks can be set back between two processes of a run. */
const spanTimes = (startedAt: number, endedAt: number | undefined, lastAt: number) => ({
  startedAt,
  endedAt: Math.max(startedAt, endedAt ?? lastAt),
})

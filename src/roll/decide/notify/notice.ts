import { formatDuration } from '../../../ground/model/duration.ts'
import type { Reason } from '../../../ground/model/reason.ts'
import { contextText, originOf, type RunOrigin } from '../../../ground/model/run-origin.ts'
import { plainText } from '../../../ground/model/sentence.ts'
import type { NoticeKind } from '../../model/notify-spec.ts'
import type { LoadTick, NodeResult, StampedEvent } from '../../model/roll-event.ts'

/** One notification, before it gets the form of its receiver. */
export interface Notice extends RunOrigin {
  readonly kind: NoticeKind
  readonly run: string
  /** The name in the roll file. */
  readonly roll: string
  /** ISO 8601, UTC. */
  readonly at: string
  readonly title: string
  /** Details, one a line. */
  readonly lines: readonly string[]
  readonly node?: string
  readonly reasons: readonly Reason[]
  /** Commands that a person can run next. */
  readonly next: readonly string[]
  readonly nodesDone: number
  readonly nodesTotal: number
  readonly exitCode?: number
  readonly load?: Pick<LoadTick, 'sent' | 'failed'>
}

/** A hold that lasts. */
interface Hold {
  readonly node: string
  readonly step: string
  readonly since: string
  readonly reasons: readonly Reason[]
  /** There was a notification about this hold. */
  readonly isNoticed: boolean
}

/** The state of a run, as far as its events show it. */
export interface Story {
  /** Where the run works, as whom and why, by its first event. */
  readonly origin: RunOrigin
  readonly run: string
  readonly roll: string
  readonly nodesTotal: number
  readonly nodesDone: number
  readonly hold?: Hold
}

export const NO_STORY: Story = { origin: {}, run: '', roll: '', nodesTotal: 0, nodesDone: 0 }

interface Followed {
  readonly story: Story
  readonly notice?: Notice
}

/** The state after one more event, and the notification for that event, if there is one. Pure. */
export function follow(story: Story, event: StampedEvent): Followed {
  switch (event.type) {
    case 'roll.started':
      return started(story, event)
    case 'node.ended':
      return nodeEnded(story, event)
    case 'hold.started':
    case 'hold.changed':
      return { story: { ...story, hold: holdOf(story, event) } }
    case 'hold.ended':
      return holdEnded(story, event.at)
    case 'roll.ended':
      return { story: without(story), notice: ended(story, event) }
    default:
      return { story }
  }
}

/** The notification about a hold that has lasted for long enough, and the state after it. */
export function holding(story: Story, at: string): Followed {
  const { hold } = story
  if (hold === undefined || hold.isNoticed) return { story }
  const lasted = formatDuration(Date.parse(at) - Date.parse(hold.since))
  const notice: Notice = {
    ...base(story, { kind: 'holding', at }),
    node: hold.node,
    title: `${story.roll}: ${hold.node} has been held in step ${hold.step} for ${lasted}`,
    lines: reasonLines(hold.reasons),
    reasons: hold.reasons,
  }
  return { story: { ...story, hold: { ...hold, isNoticed: true } }, notice }
}

type Of<T extends StampedEvent['type']> = Extract<StampedEvent, { readonly type: T }>

function started(before: Story, event: Of<'roll.started'>): Followed {
  const { run, cluster, nodes, resumed, at } = event
  const story = { ...before, origin: originOf(event), run, roll: cluster, nodesTotal: nodes.length }
  const title = `${cluster}: the roll of ${count(nodes.length)} ${resumed ? 'goes on' : 'begins'}`
  return { story, notice: { ...base(story, { kind: 'started', at }), title, lines: startLines(story) } }
}

function startLines({ run, origin }: Story): readonly string[] {
  const where = contextText(origin)
  return [
    where === undefined ? `run ${run}` : `run ${run} on ${where}`,
    ...(origin.reason === undefined ? [] : [`reason: ${origin.reason}`]),
  ]
}

function nodeEnded(before: Story, { standing, at }: Of<'node.ended'>): Followed {
  const isDone = standing.state === 'inService'
  const story = { ...without(before), nodesDone: before.nodesDone + (isDone ? 1 : 0) }
  const place = isDone ? ` (${story.nodesDone} of ${story.nodesTotal})` : ''
  const title = `${story.roll}: ${standing.node} is ${standing.text}${place}`
  const notice = { ...base(story, { kind: 'node', at }), node: standing.node, title, lines: nodeLines(standing) }
  return { story, notice }
}

const nodeLines = ({ podsMoved, failedRequests }: NodeResult): readonly string[] => [
  `pods moved: ${podsMoved}, failed requests: ${failedRequests}`,
]

function holdOf({ hold }: Story, { node, step, reasons, at }: Of<'hold.started' | 'hold.changed'>): Hold {
  const isSame = hold?.node === node && hold.step === step
  return { node, step, reasons, since: isSame ? hold.since : at, isNoticed: isSame && hold.isNoticed }
}

function holdEnded(before: Story, at: string): Followed {
  const { hold } = before
  const story = without(before)
  if (hold?.isNoticed !== true) return { story }
  const lasted = formatDuration(Date.parse(at) - Date.parse(hold.since))
  const title = `${story.roll}: ${hold.node} goes on with step ${hold.step} after ${lasted}`
  return { story, notice: { ...base(story, { kind: 'resumed', at }), node: hold.node, title, lines: [] } }
}

const OUTCOMES = {
  completed: 'done',
  stopped: 'stopped',
  aborted: 'aborted',
  held: 'held',
  interrupted: 'interrupted',
} as const

function ended(story: Story, { outcome, exitCode, reasons, standings, next, load, at }: Of<'roll.ended'>): Notice {
  const kind = OUTCOMES[outcome]
  const done = standings.filter(({ state }) => state === 'inService').length
  const out = standings.filter(({ state }) => state === 'out')
  return {
    ...base({ ...story, nodesDone: done }, { kind, at }),
    title: `${story.roll}: ${kind.toUpperCase()}, ${done} of ${count(story.nodesTotal)} back in service`,
    lines: [
      ...(load === undefined ? [] : [`${grouped(load.failed)} of ${grouped(load.sent)} requests failed`]),
      ...reasonLines(reasons),
      ...out.map(({ node, text }) => `${node}: ${text}`),
    ],
    reasons,
    next: next.map(plainText),
    exitCode,
    ...(load === undefined ? {} : { load: { sent: load.sent, failed: load.failed } }),
  }
}

const base = (
  { origin, run, roll, nodesDone, nodesTotal }: Story,
  given: { readonly kind: NoticeKind; readonly at: string },
) => ({
  ...origin,
  ...given,
  run,
  roll,
  nodesDone,
  nodesTotal,
  reasons: [] as readonly Reason[],
  next: [] as readonly string[],
})

function without({ hold: _, ...story }: Story): Story {
  return story
}

const reasonLines = (reasons: readonly Reason[]): readonly string[] =>
  reasons.map(({ text, next }) => (next === undefined ? text : `${text}; next: ${plainText(next)}`))

const count = (nodes: number): string => (nodes === 1 ? '1 node' : `${nodes} nodes`)

const grouped = (value: number): string => value.toLocaleString('en-US')

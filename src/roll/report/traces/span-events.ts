import type { Reason } from '../../../ground/model/reason.ts'
import { sureMs } from '../../decide/availability/downtime.ts'
import type { StampedEvent } from '../../model/roll-event.ts'
import type { RollView, WindowView } from '../view/roll-view.ts'
import type { Attributes, SpanEvent, SpanPlace } from './span.ts'

interface PlacedEvent {
  readonly place: SpanPlace
  readonly event: SpanEvent
}

/** Holds, failures, strays, warnings and resumes, each with its span. */
export const spanEvents = (events: readonly StampedEvent[], { windows }: RollView): readonly PlacedEvent[] => [
  ...events.flatMap(placedEvent),
  ...windows.map(failedRequests),
]

function placedEvent(event: StampedEvent): readonly PlacedEvent[] {
  const attributes = attributesOf(event)
  if (attributes === undefined) return []
  const at = Date.parse(event.at)
  const place = {
    at,
    node: 'node' in event ? event.node : undefined,
    step: 'step' in event ? event.step : undefined,
  }
  return [{ place, event: { name: event.type === 'roll.started' ? 'roll.resumed' : event.type, at, attributes } }]
}

/** Undefined: the span itself has it, or it is too much for a trace. */
function attributesOf(event: StampedEvent): Attributes | undefined {
  switch (event.type) {
    case 'roll.started':
      return event.resumed ? { 'user.name': event.user, 'service.version': event.version } : undefined
    case 'hold.started':
    case 'hold.changed':
      return reasonAttributes(event.reasons)
    case 'hold.ended':
      return {}
    case 'noticed':
    case 'idle':
      return { 'evenkeel.server': event.server, 'evenkeel.by': event.by, 'evenkeel.reason.text': event.text }
    case 'stray':
      return { 'evenkeel.server': event.server, 'evenkeel.requests.stray': event.count }
    case 'reasserted':
      return { 'evenkeel.server': event.server, 'evenkeel.reason.text': event.text }
    case 'warning':
      return { 'evenkeel.reason.text': event.text }
    default:
      return undefined
  }
}

const reasonAttributes = (reasons: readonly Reason[]): Attributes => ({
  'evenkeel.reason.code': reasons.map(({ code }) => code),
  'evenkeel.reason.text': reasons.map(({ text }) => text),
})

/** With the most likely step, like the report. */
function failedRequests({ window, blame, closed }: WindowView): PlacedEvent {
  const at = window.firstBadAt
  const [likeliest] = blame
  const classes = Object.entries(window.failures).sort(([, a], [, b]) => b - a)
  return {
    place: { at, node: likeliest?.node, step: likeliest?.step },
    event: {
      name: 'requests.failed',
      at,
      attributes: {
        'evenkeel.target': window.target,
        'evenkeel.lane': window.lane,
        'evenkeel.requests.sent': window.sent,
        'evenkeel.requests.failed': window.failed,
        'evenkeel.requests.excused': window.excused,
        'evenkeel.window_ms': sureMs(window),
        'error.type': classes[0]?.[0],
        'error.message': window.firstError,
        ...(closed ? {} : { 'evenkeel.unfinished': true }),
      },
    },
  }
}

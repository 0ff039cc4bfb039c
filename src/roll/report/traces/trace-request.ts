import { hash } from 'node:crypto'
import { present } from '../../../ground/model/present.ts'
import type { StampedEvent } from '../../model/roll-event.ts'
import { rollViewOf } from '../view/reduce-roll.ts'
import { runSpans } from './run-spans.ts'
import type { Attributes, Span } from './span.ts'

/** The sources of a trace. */
interface TraceSource {
  readonly run: string
  readonly events: readonly StampedEvent[]
  /** Version of the program that began the run. */
  readonly tool?: string
}

/**
 * The run as one ExportTraceServiceRequest in the JSON encoding of OTLP: ids in hex, 64-bit numbers as strings, enums
 * as numbers (OTLP specification, "JSON Protobuf Encoding"). The same events give the same text.
 */
export function traceRequest({ run, events, tool }: TraceSource): string {
  const { context, server, user, reason, version = tool } = rollViewOf(events)
  const resource = {
    'service.name': 'evenkeel',
    'service.version': version,
    // A process in a pod does not know the name of its cluster.
    'k8s.cluster.name': context === 'in-cluster' ? undefined : context,
    'evenkeel.context': context,
    'evenkeel.server': server,
    'user.name': user,
    'evenkeel.run.reason': reason,
  }
  const spans = runSpans(events).map((span) => spanMessage(run, span))
  return JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: keyValues(resource) },
        scopeSpans: [{ scope: { name: 'evenkeel', ...present({ version }) }, spans }],
      },
    ],
  })
}

const KIND_INTERNAL = 1
const STATUS_ERROR = 2

const spanMessage = (run: string, { path, name, startedAt, endedAt, attributes, events, error }: Span) => ({
  traceId: idOf(['trace', run], 16),
  spanId: spanIdOf(run, path),
  ...(path.length === 0 ? {} : { parentSpanId: spanIdOf(run, path.slice(0, -1)) }),
  name,
  kind: KIND_INTERNAL,
  startTimeUnixNano: unixNanos(startedAt),
  endTimeUnixNano: unixNanos(endedAt),
  attributes: keyValues(attributes),
  events: events.map((event) => ({
    timeUnixNano: unixNanos(event.at),
    name: event.name,
    attributes: keyValues(event.attributes),
  })),
  ...(error === undefined ? {} : { status: { message: error.toWellFormed(), code: STATUS_ERROR } }),
})

const spanIdOf = (run: string, path: readonly string[]): string => idOf(['span', run, ...path], 8)

const idOf = (parts: readonly string[], bytes: number): string =>
  hash('sha256', JSON.stringify(parts), 'hex').slice(0, 2 * bytes)

const unixNanos = (ms: number): string => `${BigInt(Math.round(ms)) * 1_000_000n}`

const keyValues = (attributes: Attributes) =>
  Object.entries(attributes).flatMap(([key, value]) => (value === undefined ? [] : [{ key, value: anyValue(value) }]))

function anyValue(value: NonNullable<Attributes[string]>) {
  if (typeof value === 'boolean') return { boolValue: value }
  if (typeof value === 'number') return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value }
  if (typeof value === 'string') return stringValue(value)
  return { arrayValue: { values: value.map(stringValue) } }
}

const stringValue = (text: string) => ({ stringValue: text.toWellFormed() })

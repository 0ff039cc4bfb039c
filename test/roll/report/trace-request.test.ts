import assert from 'node:assert/strict'
import { test } from 'node:test'
import root from '@opentelemetry/otlp-transformer/build/src/generated/root.js'
import type { StampedEvent } from '../../../src/roll/model/roll-event.ts'
import { runSpans } from '../../../src/roll/report/traces/run-spans.ts'
import type { Span } from '../../../src/roll/report/traces/span.ts'
import { traceRequest } from '../../../src/roll/report/traces/trace-request.ts'
import { excusedRun } from '../../support/report-runs/excused-run.ts'
import { heldRun } from '../../support/report-runs/held-run.ts'
import { cleanRun, failedRun, hostileRun, keptOutRun, longRun } from '../../support/report-runs/report-runs.ts'

/** Of protobufjs: the static code that OpenTelemetry generates from its .proto files. */
interface MessageType {
  fromObject(value: unknown): unknown
  encode(message: unknown): { finish(): Uint8Array }
  decode(bytes: Uint8Array): unknown
  toObject(message: unknown, options: { readonly longs: StringConstructor }): unknown
}

const generated = root as unknown as {
  readonly opentelemetry: {
    readonly proto: {
      readonly collector: { readonly trace: { readonly v1: { readonly ExportTraceServiceRequest: MessageType } } }
    }
  }
}
const { ExportTraceServiceRequest } = generated.opentelemetry.proto.collector.trace.v1

/**
 * A request in OTLP's JSON through its binary form and back. A field that the definition does not have, or has of
 * another type, does not come back as it was. OTLP's JSON has ids in hex, where that of Protocol Buffers has base64.
 */
function throughDefinition(json: string): unknown {
  const withBytes: unknown = JSON.parse(json, (key, value: unknown) =>
    ID.test(key) && typeof value === 'string' ? Buffer.from(value, 'hex') : value,
  )
  const bytes = ExportTraceServiceRequest.encode(ExportTraceServiceRequest.fromObject(withBytes)).finish()
  return inHex(ExportTraceServiceRequest.toObject(ExportTraceServiceRequest.decode(bytes), { longs: String }))
}

const ID = /^(?:traceId|spanId|parentSpanId)$/

function inHex(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex')
  if (Array.isArray(value)) return value.map(inHex)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, own]) => [key, inHex(own)]))
}

const RUN = '20261121T061439Z-1f0e'
const ORIGIN = {
  context: 'prod-eu1',
  server: 'https://10.0.0.5:6443',
  user: 'alice',
  reason: 'CVE-2026-1234',
  version: '0.1.0',
}

const withOrigin = (events: readonly StampedEvent[]): readonly StampedEvent[] =>
  events.map((event) => (event.type === 'roll.started' ? { ...event, ...ORIGIN } : event))

/** As a journal is read while its process goes on, or after it was killed. */
const upTo = (events: readonly StampedEvent[], isLast: (event: StampedEvent) => boolean): readonly StampedEvent[] =>
  events.slice(0, events.findIndex(isLast) + 1)

const isRebootOf =
  (node: string) =>
  (event: StampedEvent): boolean =>
    event.type === 'step.started' && event.node === node && event.step === 'reboot'

interface Wire {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly { readonly key: string; readonly value: object }[] }
    readonly scopeSpans: readonly {
      readonly spans: readonly {
        readonly traceId: string
        readonly spanId: string
        readonly parentSpanId?: string
        readonly startTimeUnixNano: string
        readonly endTimeUnixNano: string
      }[]
    }[]
  }[]
}

const wireOf = (events: readonly StampedEvent[]): Wire => JSON.parse(traceRequest({ run: RUN, events }))
const onWire = (events: readonly StampedEvent[]) => wireOf(events).resourceSpans[0]?.scopeSpans[0]?.spans ?? []

function spanOf(spans: readonly Span[], ...path: readonly string[]): Span {
  const span = spans.find((one) => one.path.join('/') === path.join('/'))
  assert.ok(span, path.join('/'))
  return span
}

const stepOf = (spans: readonly Span[], node: string, step: string): Span =>
  spans.find((one) => one.path[0] === node && one.name === step) ?? assert.fail(`${node} ${step}`)

for (const [name, run] of Object.entries({
  cleanRun,
  failedRun,
  keptOutRun,
  heldRun,
  excusedRun,
  hostileRun,
  longRun,
  'a run of which nothing is known': () => [],
})) {
  test(`the spans of ${name} are what OpenTelemetry's own definition of a request has`, () => {
    const json = traceRequest({ run: RUN, events: withOrigin(run()), tool: '0.1.0' })
    assert.ok(!json.includes('\n'), 'one line is one request')
    assert.deepEqual(withoutEmpty(throughDefinition(json)), withoutEmpty(JSON.parse(json)))
  })
}

/** The binary form does not tell an empty list from none. */
function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmpty)
  if (typeof value !== 'object' || value === null) return value
  const kept = Object.entries(value).filter(([, own]) => !(Array.isArray(own) && own.length === 0))
  return Object.fromEntries(kept.map(([key, own]) => [key, withoutEmpty(own)]))
}

test('a run is one trace: the run, its nodes below it, and their steps below them', () => {
  const spans = onWire(cleanRun())
  assert.equal(spans.length, 1 + 3 + 3 * 11)
  assert.equal(new Set(spans.map(({ traceId }) => traceId)).size, 1)
  assert.equal(new Set(spans.map(({ spanId }) => spanId)).size, spans.length)
  const known = new Map(spans.map((span) => [span.spanId, span]))
  for (const { traceId, spanId, parentSpanId, startTimeUnixNano, endTimeUnixNano } of spans) {
    assert.match(traceId, /^[0-9a-f]{32}$/)
    assert.match(spanId, /^[0-9a-f]{16}$/)
    const parent = parentSpanId === undefined ? undefined : known.get(parentSpanId)
    assert.equal(parent === undefined, spanId === spans[0]?.spanId)
    assert.ok(BigInt(startTimeUnixNano) <= BigInt(endTimeUnixNano))
    if (parent !== undefined) assert.ok(BigInt(parent.startTimeUnixNano) <= BigInt(startTimeUnixNano))
  }
  assert.equal(spans[0]?.startTimeUnixNano, '1795241679182000000')
})

test('the same run makes the same document, and what is known later keeps the ids of before', () => {
  assert.deepEqual(wireOf(failedRun()), wireOf(failedRun()))
  const early = onWire(upTo(failedRun(), isRebootOf('w-2')))
  const late = new Set(onWire(failedRun()).map(({ spanId }) => spanId))
  assert.ok(early.length > 10)
  for (const { spanId } of early) assert.ok(late.has(spanId))
  const other = JSON.parse(traceRequest({ run: 'another', events: failedRun() })) as Wire
  assert.notEqual(other.resourceSpans[0]?.scopeSpans[0]?.spans[0]?.traceId, early[0]?.traceId)
})

test('the resource says which program, which cluster, as whom and why', () => {
  const resource = wireOf(withOrigin(cleanRun())).resourceSpans[0]?.resource
  const attributes = Object.fromEntries(
    (resource?.attributes ?? []).map(({ key, value }) => [key, Object.values(value)[0]]),
  )
  assert.deepEqual(attributes, {
    'service.name': 'evenkeel',
    'service.version': '0.1.0',
    'k8s.cluster.name': 'prod-eu1',
    'evenkeel.context': 'prod-eu1',
    'evenkeel.server': 'https://10.0.0.5:6443',
    'user.name': 'alice',
    'evenkeel.run.reason': 'CVE-2026-1234',
  })
})

test('a run that stopped has the error and its reason in the run, the node and the step', () => {
  const spans = runSpans(failedRun())
  assert.equal(spanOf(spans).error, '76 requests failed while cp-1 was attached')
  assert.equal(spanOf(spans).attributes['evenkeel.outcome'], 'stopped')
  assert.deepEqual(spanOf(spans).attributes['evenkeel.reason.code'], ['RequestsFailed'])
  assert.match(spanOf(spans, 'cp-1').error ?? '', /it failed once it was put back/)
  assert.deepEqual(
    spans.filter(({ error }) => error !== undefined).map(({ name }) => name),
    ['roll', 'node', 'attach'],
  )
  assert.equal(spanOf(spans, 'w-1').error, undefined)
})

test('holds and failures are events of the step in which they happened', () => {
  const spans = runSpans(failedRun())
  assert.deepEqual(
    stepOf(spans, 'w-2', 'drain').events.map(({ name, attributes }) => [name, attributes['evenkeel.reason.code']]),
    [
      ['hold.started', ['BudgetExhausted']],
      ['hold.ended', undefined],
    ],
  )
  const failures = stepOf(spans, 'cp-1', 'attach').events
  assert.deepEqual(
    failures.map(({ name, attributes }) => [name, attributes['evenkeel.requests.failed'], attributes['error.type']]),
    [
      ['requests.failed', 6, 'connect'],
      ['requests.failed', 9, 'stale'],
      ['requests.failed', 61, 'noResponse'],
    ],
  )
  const inReboot = stepOf(spans, 'w-3', 'reboot').events.map(({ name }) => name)
  assert.deepEqual(inReboot.sort(), ['reasserted', 'requests.failed', 'stray'])
})

test('a run that still goes on ends at its newest event, and says so', () => {
  const events = upTo(cleanRun(), isRebootOf('w-2'))
  const spans = runSpans(events)
  const open = spans.filter(({ attributes }) => attributes['evenkeel.unfinished'] === true)
  assert.deepEqual(
    open.map(({ name }) => name),
    ['roll', 'node', 'reboot'],
  )
  const lastAt = Date.parse(events.at(-1)?.at ?? '')
  for (const { endedAt, error } of open) assert.deepEqual([endedAt, error], [lastAt, undefined])
})

test('a run that was killed and resumed is one trace: the step that was cut off ends where the process did', () => {
  const before = upTo(keptOutRun(), isRebootOf('n2'))
  const killedAt = Date.parse(before.at(-1)?.at ?? '')
  const [first] = withOrigin(before)
  assert.ok(first?.type === 'roll.started')
  const stamp = (seconds: number) => ({
    v: '1.0' as const,
    seq: before.length + seconds,
    at: new Date(killedAt + seconds * 1_000).toISOString(),
  })
  const spans = runSpans([
    ...before,
    { ...first, resumed: true, ...stamp(60) },
    { type: 'step.started', node: 'n2', step: 'reboot', reasons: [], ...stamp(61) },
    { type: 'step.ended', node: 'n2', step: 'reboot', reasons: [], ...stamp(70) },
    { type: 'step.started', node: 'n2', step: 'proof', reasons: [], ...stamp(70) },
  ])
  const steps = spans.filter(({ path }) => path[0] === 'n2' && path.length === 2).slice(-3)
  assert.deepEqual(
    steps.map(({ name, startedAt, endedAt, attributes }) => [
      name,
      (startedAt - killedAt) / 1_000,
      (endedAt - killedAt) / 1_000,
      attributes['evenkeel.unfinished'] ?? false,
    ]),
    [
      ['reboot', 0, 0, true],
      ['reboot', 61, 70, false],
      ['proof', 70, 70, true],
    ],
  )
  assert.deepEqual(
    spanOf(spans).events.map(({ name, attributes }) => [name, attributes['user.name']]),
    [['roll.resumed', 'alice']],
  )
})

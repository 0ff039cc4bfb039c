import root from '@opentelemetry/otlp-transformer/build/src/generated/root.js'

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
export function throughDefinition(json: string): unknown {
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

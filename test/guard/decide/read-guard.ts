import { Untrusted } from '../../../src/ground/model/untrusted.ts'
import { type CheckedGuard, NODE_GUARDS } from '../../../src/guard/decide/guard-kind.ts'

type Json = Readonly<Record<string, unknown>>

interface Said {
  readonly spec?: Json
  readonly metadata?: Json
  readonly annotations?: Readonly<Record<string, string>>
  readonly status?: Json
  /** `Held True NodesHeld held: n1`. */
  readonly conditions?: readonly string[]
}

/** NodeGuard `data/storage` of generation 1, as it is read from an API server. */
export function readGuard({ spec, metadata, annotations = {}, status, conditions = [] }: Said): CheckedGuard {
  const raw = {
    metadata: {
      ...{ namespace: 'data', name: 'storage', uid: 'u1', resourceVersion: '7', generation: 1, annotations },
      ...metadata,
    },
    spec: { follow: { daemonSet: { name: 'storage-node' } }, ...spec },
    status: { observedGeneration: 1, conditions: conditions.map(conditionOf), ...status },
  }
  return NODE_GUARDS.parse(new Untrusted(raw, 'object'))
}

function conditionOf(text: string): Json {
  const [type, status, reason, ...message] = text.split(' ')
  return { type, status, reason, message: message.join(' '), lastTransitionTime: '2026-01-01T00:00:00Z' }
}

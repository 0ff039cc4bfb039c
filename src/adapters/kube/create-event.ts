import { toIso } from '../../model/time.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Random } from '../../ports/random.ts'
import { segment } from './api-call.ts'
import type { ApiClient } from './api-client.ts'

/** As the API writes times: in whole seconds. */
const SECONDS = /\.\d+Z$/

export interface EventParts {
  readonly client: ApiClient
  readonly clock: Clock
  readonly random: Random
  /** Of this process. */
  readonly identity: string
}

interface NewEvent {
  /** Where the Event lies: the namespace of its object, or `default` where that has none (apiserver, pkg/apis/core/validation/events.go). */
  readonly namespace: string
  readonly involvedObject: {
    readonly kind: string
    readonly namespace?: string
    readonly name: string
    readonly uid: string
  }
  readonly type: 'Normal' | 'Warning'
  readonly reason: { readonly code: string; readonly text: string }
}

/** One Event of the controller. It takes the right to create events in that namespace. */
export async function createEvent(
  { client, clock, random, identity }: EventParts,
  { namespace, involvedObject, type, reason }: NewEvent,
  signal: AbortSignal,
): Promise<void> {
  const at = toIso(clock.wallMs()).replace(SECONDS, 'Z')
  const body = {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { namespace, name: `${reason.code.toLowerCase()}.${random.hex(8)}` },
    involvedObject: { apiVersion: 'v1', ...involvedObject },
    type,
    reason: reason.code,
    message: reason.text,
    source: { component: 'evenkeel-controller' },
    reportingComponent: 'evenkeel-controller',
    reportingInstance: identity,
    firstTimestamp: at,
    lastTimestamp: at,
    count: 1,
  }
  const path = `/api/v1/namespaces/${segment(namespace)}/events`
  await client.ask({ verb: 'create', resource: 'events', path, body }, signal)
}

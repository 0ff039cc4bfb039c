import type { ObjectNotice } from './object-notice.ts'
import { present } from './present.ts'
import { toIsoSeconds, type WallMs } from './time.ts'

/** The program that has written an Event, as `kubectl describe` shows it. */
export type EventComponent = 'evenkeel-controller' | 'evenkeel-roll'

/** The longest note that events.k8s.io/v1 allows (pkg/apis/core/validation/events.go). */
const MESSAGE_MAX = 1024

interface Telling {
  /** Of the Event, in its namespace. */
  readonly name: string
  readonly at: WallMs
  /** Of this process. */
  readonly identity: string
  /** By default the controller. */
  readonly component?: EventComponent
}

/** The namespace of an object's Events: its own, or `default` where it has none (pkg/apis/core/validation/events.go). */
export const eventNamespace = ({ namespace }: Pick<ObjectNotice, 'namespace'>): string => namespace ?? 'default'

/** An Event (core/v1) to create. */
export function eventObject(notice: ObjectNotice, telling: Telling) {
  const { name, at, identity, component = 'evenkeel-controller' } = telling
  const { apiVersion = 'v1', kind, namespace, name: about, uid, type, reason } = notice
  const seen = toIsoSeconds(at)
  return {
    metadata: { namespace: eventNamespace(notice), name },
    involvedObject: { apiVersion, kind, ...present({ namespace }), name: about, uid },
    type,
    reason: reason.code,
    message: reason.text.slice(0, MESSAGE_MAX),
    source: { component },
    reportingComponent: component,
    reportingInstance: identity,
    firstTimestamp: seen,
    lastTimestamp: seen,
    count: 1,
  }
}

/** `cordonnotgranted.1a2b3c4d`: a name that no other Event has. */
export const eventName = ({ reason }: Pick<ObjectNotice, 'reason'>, dice: string): string =>
  `${reason.code.toLowerCase()}.${dice}`

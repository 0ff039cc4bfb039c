import { type EventComponent, eventName, eventNamespace, eventObject } from '../model/event-object.ts'
import type { Clock } from '../ports/clock.ts'
import type { ObjectNotices } from '../ports/object-notices.ts'
import type { Random } from '../ports/random.ts'
import { segment } from './api-call.ts'
import type { ApiClient } from './api-client.ts'

interface Parts {
  readonly client: ApiClient
  readonly clock: Clock
  readonly random: Random
  /** Of this process. */
  readonly identity: string
  /** By default the controller. */
  readonly component?: EventComponent
}

/**
 * One Event for each notice. Needs the right to create events in the namespaces of the objects, and in `default` for Nodes and
 * other objects without a namespace.
 */
export const kubeObjectNotices = ({ client, clock, random, ...writer }: Parts): ObjectNotices => ({
  tell: async (notice, signal) => {
    const name = eventName(notice, random.hex(8))
    const event = eventObject(notice, { name, at: clock.wallMs(), ...writer })
    const body = { apiVersion: 'v1', kind: 'Event', ...event }
    const path = `/api/v1/namespaces/${segment(eventNamespace(notice))}/events`
    await client.ask({ verb: 'create', resource: 'events', path, body }, signal)
  },
})

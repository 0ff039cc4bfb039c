import type { ApiObject } from '../world/api-object.ts'
import { EVENTS, NAMESPACES } from '../world/api-resource.ts'
import { createObject } from '../world/create-object.ts'
import { stampOf, type World } from '../world/world.ts'

interface NewEvent {
  /** In a namespace. */
  readonly about: ApiObject
  readonly component: string
  readonly type: 'Normal' | 'Warning'
  readonly reason: string
  readonly message: string
}

/** Says something of an object to people (client-go, tools/record); nothing is said where the namespace is gone. */
export function recordEvent(world: World, { about, component, type, reason, message }: NewEvent): void {
  const { apiVersion, kind, metadata } = about
  const { name, namespace = 'default', uid, resourceVersion } = metadata
  if (world.store.get(NAMESPACES, { name: namespace }) === undefined) return
  const at = stampOf(world.clock.wallMs())
  const body = {
    metadata: { name: `${name}.${world.random.hex(8)}` },
    involvedObject: { apiVersion, kind, name, namespace, uid, resourceVersion },
    reason,
    message,
    type,
    source: { component },
    firstTimestamp: at,
    lastTimestamp: at,
    count: 1,
  }
  createObject(world, { resource: EVENTS, namespace, body })
}

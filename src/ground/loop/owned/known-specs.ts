import type { FollowEvent } from '../../ports/cluster.ts'

interface Specified {
  readonly uid: string
  readonly spec: object
}

type Sink<T> = (event: FollowEvent<T>) => void

/**
 * A sink that passes on an object whose spec is as before with the very spec that it had: after a write of its status, what was made of the
 * spec is found by the spec.
 */
export function withKnownSpecs<T extends Specified>(sink: Sink<T>): Sink<T> {
  /** By UID: the spec as it was read last, with its text. */
  const known = new Map<string, { readonly text: string; readonly spec: T['spec'] }>()
  const kept = (object: T): T => {
    const text = JSON.stringify(object.spec)
    const last = known.get(object.uid)
    if (last?.text === text) return { ...object, spec: last.spec }
    known.set(object.uid, { text, spec: object.spec })
    return object
  }
  return (event) => {
    if (event.type === 'applied') return sink({ ...event, object: kept(event.object) })
    if (event.type === 'deleted') known.delete(event.object.uid)
    if (event.type !== 'listed') return sink(event)
    // An object that went while no watch told of it is in no list.
    const listed = new Set(event.objects.map(({ uid }) => uid))
    for (const uid of known.keys()) if (!listed.has(uid)) known.delete(uid)
    sink({ ...event, objects: event.objects.map(kept) })
  }
}

import type { FollowEvent } from '../../ports/cluster.ts'

interface Specified {
  readonly uid: string
  readonly spec: object
}

type Sink<T> = (event: FollowEvent<T>) => void

/** Passes objects on. One with an unchanged spec keeps its earlier spec object, so that values derived from that can be reused. */
export function withKnownSpecs<T extends Specified>(sink: Sink<T>): Sink<T> {
  /** By UID: the last spec, with its text. */
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
    // An object that was deleted while the watch was broken is not in the new list.
    const listed = new Set(event.objects.map(({ uid }) => uid))
    for (const uid of known.keys()) if (!listed.has(uid)) known.delete(uid)
    sink({ ...event, objects: event.objects.map(kept) })
  }
}

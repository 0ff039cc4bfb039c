import { MalformedReply, type Untrusted } from '../model/untrusted.ts'
import type { FollowEvent } from '../ports/cluster.ts'
import { type FollowParts, follow } from './follow.ts'

export interface Named<T> {
  /** The path of the kind in the API, and its name in RBAC. */
  readonly path: string
  readonly resource: string
  readonly name: string
  readonly parse: (object: Untrusted) => T
  /** The event for an object that cannot be parsed. The object exists, so it is not reported as deleted. */
  readonly senseless: FollowEvent<T>
}

interface NamedReading<T> {
  /** Absent where the object makes no sense: it may be any. */
  readonly name?: string
  readonly value?: T
}

/** One watch of one object; needs only the rights to list and watch the object with this name. */
export function followNamed<T>(
  parts: FollowParts,
  { named, sink }: { readonly named: Named<T>; readonly sink: (event: FollowEvent<T>) => void },
  signal: AbortSignal,
): Promise<void> {
  const { path, resource, name } = named
  const query = { fieldSelector: `metadata.name=${name}` }
  const parse = (object: Untrusted): NamedReading<T> => read(object, named)
  const all = (event: FollowEvent<NamedReading<T>>): void => {
    const ours = eventOf(event, named)
    if (ours !== undefined) sink(ours)
  }
  return follow(parts, { kind: { path, resource, parse, query }, sink: all }, signal)
}

function read<T>(object: Untrusted, named: Named<T>): NamedReading<T> {
  const name = orAbsent(() => object.at('metadata').at('name').text())
  if (name === undefined) return {}
  const value = name === named.name ? orAbsent(() => named.parse(object)) : undefined
  return value === undefined ? { name } : { name, value }
}

function orAbsent<T>(parse: () => T): T | undefined {
  try {
    return parse()
  } catch (error) {
    if (error instanceof MalformedReply) return undefined
    throw error
  }
}

/** A server that does not know the selector sends other objects, too. */
function eventOf<T>(event: FollowEvent<NamedReading<T>>, { name, senseless }: Named<T>): FollowEvent<T> | undefined {
  switch (event.type) {
    case 'listed': {
      const found = event.objects.find((object) => object.name === name || object.name === undefined)
      if (found === undefined) return { type: 'listed', objects: [] }
      return found.value === undefined ? senseless : { type: 'listed', objects: [found.value] }
    }
    case 'applied':
    case 'deleted': {
      const { type, object } = event
      if (object.name !== undefined && object.name !== name) return undefined
      if (object.value !== undefined) return { type, object: object.value }
      // A deleted object need not make sense.
      return type === 'deleted' && object.name === name ? { type: 'listed', objects: [] } : senseless
    }
    default:
      return event
  }
}

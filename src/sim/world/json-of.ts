let last: { readonly object: unknown; readonly json: string } | undefined

/**
 * The JSON of an object that is never changed. A change is told to all watchers of its kind one after the other: so the
 * last JSON is kept, and no more, since the log of changes keeps every object alive.
 */
export function jsonOf(object: unknown): string {
  if (last !== undefined && last.object === object) return last.json
  const json = JSON.stringify(object)
  last = { object, json }
  return json
}

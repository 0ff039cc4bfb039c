/** Reads `metadata.labels.app` of a reply; undefined where anything on the way is missing. */
export function field(body: unknown, path: string): unknown {
  let value = body
  for (const name of path.split('.')) {
    value = typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined
  }
  return value
}

export const fields = (body: unknown, ...paths: readonly string[]): readonly unknown[] =>
  paths.map((path) => field(body, path))

/** Of a list, by name. */
export const namesIn = (body: unknown): readonly unknown[] =>
  (field(body, 'items') as readonly unknown[]).map((item) => field(item, 'metadata.name'))

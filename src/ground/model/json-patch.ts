/** RFC 6902, the operations that are used. Every write to a Node has a `test`. */
export type JsonPatch = readonly (
  | { readonly op: 'test' | 'add' | 'replace'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string }
)[]

/** One reference token of a JSON pointer, escaped (RFC 6901 section 4). */
export const pointerToken = (token: string): string => token.replaceAll('~', '~0').replaceAll('/', '~1')

/** What a sequence does, as data: the same for both planes. */
export type Step =
  /** One request. `{pods app=a 1}` in a path or a body is the name of the second pod of a selector, on each plane its own. */
  | {
      readonly do: 'ask'
      readonly method: string
      readonly path: string
      readonly body?: unknown
      readonly contentType?: string
    }
  /** Reads an object and puts it back changed: under the version that was read, under none, or under the one before it. */
  | { readonly do: 'edit'; readonly path: string; readonly merge: object; readonly version: 'read' | 'none' | 'old' }
  /** Reads a kind page by page. */
  | { readonly do: 'pages'; readonly path: string; readonly limit: number }
  /** Opens a watch, which ends with the sequence: with all that is there, or from now on. */
  | { readonly do: 'watch'; readonly path: string; readonly from: 'all' | 'now' }
  /** Until nothing happens any more; then what is there is compared. */
  | { readonly do: 'wait' }

export interface Sequence {
  readonly seed: number
  /** Begins the names of all that it makes beside its namespace. */
  readonly name: string
  readonly steps: readonly Step[]
}

/** In one line, as a person would look for it. */
export function stepText(step: Step): string {
  const { do: what, ...more } = step
  return `${what} ${JSON.stringify(more)}`
}

import type { Snapshot } from './snapshot.ts'

interface SeenEvent {
  readonly uid: string
  /** As it is alike on both planes. */
  readonly name: string
  /** `ADDED`, `MODIFIED going`. */
  readonly text: string
}

/** What one step showed. */
export type Seen =
  | {
      readonly kind: 'answer'
      readonly code: number
      readonly reason?: unknown
      readonly causes: readonly string[]
      readonly message: string
      readonly object?: unknown
      /** The kind of the object. */
      readonly of?: string
    }
  | { readonly kind: 'pages'; readonly pages: readonly (readonly string[])[] }
  | { readonly kind: 'there'; readonly snapshot: Snapshot; readonly tookMs: number }
  | { readonly kind: 'events'; readonly path: string; readonly events: readonly SeenEvent[] }
  | { readonly kind: 'nothing' }

import type { WatchEvent } from './watch-objects.ts'

/** A request as a door hands it in. */
export interface ApiRequest {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  /** Parsed; undefined where none came. */
  readonly body?: unknown
  /** Without parameters. */
  readonly contentType?: string
  /** What the answer may be, as the client says. */
  readonly accept?: string
  /** The user by whose rights it is asked, where it is not the client's. */
  readonly as?: string
}

export interface ObjectReply {
  readonly code: number
  readonly body: unknown
  readonly retryAfterSeconds?: number
}

export interface WatchReply {
  readonly code: 200
  /** Bookmarks are asked for. */
  readonly bookmarks: boolean
  /** After this the server ends it; undefined: when it likes. */
  readonly timeoutSeconds?: number
  /** Begins to tell; the returned function ends it. An ERROR is the last event. */
  readonly open: (sink: (event: WatchEvent) => void) => () => void
  /** How far the watch has come by now. */
  readonly bookmark: () => WatchEvent
}

export type ApiReply = ObjectReply | WatchReply

export const isWatch = (reply: ApiReply): reply is WatchReply => 'open' in reply

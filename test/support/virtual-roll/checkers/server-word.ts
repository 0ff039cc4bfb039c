import type { EngineRequest } from '../engine-request.ts'

export type AdminWord = 'ready' | 'drain' | 'maint'

const TAKES: Readonly<Record<AdminWord, number>> = { ready: 0, drain: 1, maint: 2 }

export const whichTakesMore = (one: AdminWord, other: AdminWord): AdminWord => (TAKES[other] > TAKES[one] ? other : one)

export interface ServerWord {
  /** See `serverKey`. */
  readonly key: string
  readonly to: AdminWord
}

/** What most worlds have alone. */
export const FIRST_INSTANCE = 'lb-1'

/** `BACKEND/SERVER` on the first instance, `INSTANCE:BACKEND/SERVER` on another one. */
export const serverKey = (instance: string, path: string): string =>
  instance === FIRST_INSTANCE ? path : `${instance}:${path}`

/** What a line for the runtime API says of servers' states (HAProxy management.txt 9.3, `set server`). */
export function serverWords(request: EngineRequest): readonly ServerWord[] {
  // Most lines only read.
  if (request.kind !== 'balancer' || !request.line.includes('set server')) return []
  const words = request.line.matchAll(/\bset server (\S+) state (ready|drain|maint)\b/g)
  return [...words].map(([, path = '', to]) => ({ key: serverKey(request.instance, path), to: to as AdminWord }))
}

/** Servers are named as the nodes that they lead to. */
export const nodeOfServer = (key: string): string => key.slice(key.indexOf('/') + 1)

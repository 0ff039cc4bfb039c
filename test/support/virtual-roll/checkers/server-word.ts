export type AdminWord = 'ready' | 'drain' | 'maint'

export interface ServerWord {
  /** `BACKEND/SERVER`. */
  readonly key: string
  readonly to: AdminWord
}

/** What a line for the runtime API says of servers' states (HAProxy management.txt 9.3, `set server`). */
export function serverWords(line: string): readonly ServerWord[] {
  // Most lines only read.
  if (!line.includes('set server')) return []
  const words = line.matchAll(/\bset server (\S+) state (ready|drain|maint)\b/g)
  return [...words].map(([, key = '', to]) => ({ key, to: to as AdminWord }))
}

/** Servers are named as the nodes that they lead to. */
export const nodeOfServer = (key: string): string => key.slice(key.indexOf('/') + 1)

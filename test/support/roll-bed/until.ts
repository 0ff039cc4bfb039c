import { setTimeout as pause } from 'node:timers/promises'

export interface Until {
  readonly what: string
  readonly limitMs: number
  readonly everyMs?: number
}

/** Asks until the answer is there; fails with what was waited for. */
export async function until<T>(
  { what, limitMs, everyMs = 100 }: Until,
  ask: () => Promise<T | undefined> | T | undefined,
): Promise<T> {
  const giveUpAt = performance.now() + limitMs
  for (;;) {
    const answer = await ask()
    if (answer !== undefined) return answer
    if (performance.now() > giveUpAt) throw new Error(`waited ${limitMs} ms for ${what}`)
    await pause(everyMs)
  }
}

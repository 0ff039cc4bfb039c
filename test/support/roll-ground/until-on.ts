import type { RollGround } from './roll-ground.ts'

export interface Until {
  readonly what: string
  readonly limitMs: number
  readonly everyMs?: number
}

/** Asks until the answer is there, in the time of the ground; fails with what was waited for. */
export async function untilOn<T>(
  ground: Pick<RollGround, 'nowMs' | 'pause'>,
  { what, limitMs, everyMs = 100 }: Until,
  ask: () => Promise<T | undefined>,
): Promise<T> {
  const giveUpAtMs = ground.nowMs() + limitMs
  for (;;) {
    const answer = await ask()
    if (answer !== undefined) return answer
    if (ground.nowMs() > giveUpAtMs) throw new Error(`waited ${limitMs} ms for ${what}`)
    await ground.pause(everyMs)
  }
}

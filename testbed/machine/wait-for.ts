import { setTimeout as sleep } from 'node:timers/promises'

interface Wait {
  /** What is waited for, as it completes the sentence "waited 10 s for …". */
  readonly what: string
  readonly limitMs: number
  /** How long to pause between two looks. */
  readonly everyMs?: number
  /** What a reader needs when it did not come: the last lines of a log, the last answer. */
  readonly explain?: () => string
}

/** The clock by which it waits: the wall clock, or a clock that the caller turns. */
interface WaitTime {
  nowMs(): number
  pause(ms: number): Promise<unknown>
}

const REAL: WaitTime = { nowMs: () => performance.now(), pause: (ms) => sleep(ms) }

/** Not `false`, which would end the wait like anything else: nothing yet is `undefined`. */
export type Found = object | string | number | bigint | true | null

/** Looks again and again until `look` gives something, or until the limit, when it throws with the explanation. */
export async function waitFor<T extends Found>(
  wait: Wait,
  look: () => Promise<T | undefined> | T | undefined,
  time: WaitTime = REAL,
): Promise<T> {
  const giveUpAtMs = time.nowMs() + wait.limitMs
  for (;;) {
    const found = await look()
    if (found !== undefined) return found
    if (time.nowMs() >= giveUpAtMs) {
      const explanation = wait.explain?.().trim() ?? ''
      throw new Error(`waited ${wait.limitMs / 1000} s for ${wait.what}${explanation === '' ? '' : `\n${explanation}`}`)
    }
    await time.pause(wait.everyMs ?? 50)
  }
}

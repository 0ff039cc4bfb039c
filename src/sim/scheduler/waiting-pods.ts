import type { PodObject } from '../actors/pod-object.ts'
import type { Plugin } from './refusal.ts'
import { priorityOf } from './search-nodes.ts'

interface Attempt {
  /** Which plugins have refused some node. */
  readonly by: ReadonlySet<Plugin>
  readonly atMs: number
  /** With those before it. */
  readonly count: number
}

/** scheduling_queue.go, DefaultPodInitialBackoffDuration and DefaultPodMaxBackoffDuration. */
const FIRST_BACK_OFF_MS = 1_000
const LAST_BACK_OFF_MS = 10_000
/** Back-offs that end within it are taken as ending together (backoff_queue.go, backoffQOrderingWindowDuration). */
const WINDOW_MS = 1_000

const NONE: ReadonlySet<Plugin> = new Set()

/** Pods that no node took: why, and in which order they are tried when several are at once. */
export class WaitingPods {
  /** By uid. */
  readonly #attempts = new Map<string, Attempt>()

  get areNone(): boolean {
    return this.#attempts.size === 0
  }

  refused({ metadata }: PodObject, by: ReadonlySet<Plugin>, atMs: number): void {
    const count = (this.#attempts.get(metadata.uid)?.count ?? 0) + 1
    this.#attempts.set(metadata.uid, { by, atMs, count })
  }

  forget(uid: string): void {
    this.#attempts.delete(uid)
  }

  refusedBy({ metadata }: PodObject): ReadonlySet<Plugin> {
    return this.#attempts.get(metadata.uid)?.by ?? NONE
  }

  /** First those whose back-off is over, then by its end; the higher priority first, and then who was tried longest ago. */
  inTurn(pods: readonly PodObject[], nowMs: number): readonly PodObject[] {
    const keys = new Map(pods.map((pod) => [pod, this.#turnOf(pod, nowMs)]))
    return pods.toSorted((a, b) => {
      const [one, other] = [keys.get(a) ?? [], keys.get(b) ?? []]
      const at = one.findIndex((value, i) => value !== other[i])
      return (one[at] ?? 0) - (other[at] ?? 0)
    })
  }

  #turnOf(pod: PodObject, nowMs: number): readonly number[] {
    const { atMs = 0, count = 1 } = this.#attempts.get(pod.metadata.uid) ?? {}
    const overMs = atMs + Math.min(LAST_BACK_OFF_MS, FIRST_BACK_OFF_MS * 2 ** (count - 1))
    const window = Math.floor(overMs / WINDOW_MS)
    const isOver = window < Math.floor(nowMs / WINDOW_MS)
    return [isOver ? 0 : window, -priorityOf(pod.spec), atMs]
  }
}

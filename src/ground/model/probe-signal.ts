import type { Sample } from './probe.ts'
import type { WallMs } from './time.ts'

/** What a prober tells, in order. A batch without samples is its heartbeat: at least one every 100 ms. */
export type ProbeSignal =
  /** The schedule begins at `at`, once more after a death or a stall too long to catch up with. */
  | { readonly type: 'started'; readonly at: WallMs }
  | {
      readonly type: 'batch'
      /** When the prober sent it, by its own clock. */
      readonly at: WallMs
      readonly samples: readonly Sample[]
      /** No verdict on a sample scheduled before this is still to come. */
      readonly settledBefore: WallMs
    }
  /** It died; verdicts still owed are lost. `reason` is for people, foreign text. */
  | { readonly type: 'died'; readonly at: WallMs; readonly reason: string }

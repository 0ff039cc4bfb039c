import type { Sample } from './probe.ts'
import type { WallMs } from './time.ts'

/** The signals of a prober, in order. A batch without samples is its heartbeat: at least one every 100 ms. */
export type ProbeSignal =
  /** The schedule begins at `at`; again after a death, or after a stall that is too long to catch up with. */
  | { readonly type: 'started'; readonly at: WallMs }
  | {
      readonly type: 'batch'
      /** When the prober sent it, by its own clock. */
      readonly at: WallMs
      readonly samples: readonly Sample[]
      /** All samples that were scheduled before this have their verdict. */
      readonly settledBefore: WallMs
    }
  /** The prober died; missing verdicts are lost. `reason` is for people, foreign text. */
  | { readonly type: 'died'; readonly at: WallMs; readonly reason: string }

import type { Judgement } from '../../test/support/roll-bed/judge.ts'

/** What a judging `evenkeel probe -o json` says of one stream of requests, as far as it is compared here. */
export interface StreamDocument extends Judgement {
  readonly measuredMs: number
  readonly failedAt1Hz: number
  readonly lanes: readonly {
    readonly lane: 'new' | 'kept'
    readonly sent: number
    readonly failed: number
    readonly maxMs: number
  }[]
  readonly windows: readonly {
    readonly lane: 'new' | 'kept'
    readonly failed: number
    readonly failures: Readonly<Record<string, number>>
    readonly lowMs: number
    /** Absent where an edge was not seen. */
    readonly highMs?: number
  }[]
}

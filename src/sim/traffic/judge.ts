import { present } from '../../ground/model/present.ts'
import type { FailureClass, Lane, Sample } from '../../ground/model/probe.ts'
import type { WallMs } from '../../ground/model/time.ts'

/** A request that failed. */
interface LostRequest {
  /** When it was due. */
  readonly at: WallMs
  readonly lane: Lane
  readonly why: FailureClass | 'unknown'
  readonly error: string
  /** `POD/NODE`, where a pod answered. */
  readonly servedBy?: string
}

/** The requests that one pod answered. */
interface Served {
  readonly count: number
  readonly firstAt: WallMs
  readonly lastAt: WallMs
}

/** Counts by itself what was sent and lost, and which pods answered: to compare it with the ledger of a roll. */
export class Judge {
  readonly #lost: LostRequest[] = []
  readonly #served = new Map<string, Served>()
  #sent = 0

  /** A sink for samples. */
  readonly record = (sample: Sample): void => {
    if (sample.verdict === 'skipped') return
    this.#sent += 1
    const { servedBy, scheduledAt } = sample
    if (servedBy !== undefined) this.#note(servedBy, scheduledAt)
    if (sample.verdict === 'ok') return
    this.#lost.push({
      at: scheduledAt,
      lane: sample.lane,
      why: sample.failure ?? 'unknown',
      error: sample.error ?? '',
      ...present({ servedBy }),
    })
  }

  get sent(): number {
    return this.#sent
  }

  get failed(): number {
    return this.#lost.length
  }

  /** In the order in which they were given up. */
  get lost(): readonly LostRequest[] {
    return this.#lost
  }

  /** By `POD/NODE`. */
  get served(): ReadonlyMap<string, Served> {
    return this.#served
  }

  #note(servedBy: string, at: WallMs): void {
    const before = this.#served.get(servedBy)
    const firstAt = before === undefined || at < before.firstAt ? at : before.firstAt
    const lastAt = before === undefined || at > before.lastAt ? at : before.lastAt
    this.#served.set(servedBy, { count: (before?.count ?? 0) + 1, firstAt, lastAt })
  }
}

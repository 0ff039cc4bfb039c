import type { LaneSummary, ProbeStatus } from '../../../ground/model/probe.ts'
import type { MonoMs } from '../../../ground/model/time.ts'

const SPAN_MS = 30_000
/** A server that closes what is idle meets a request now and then. More: it closes connections that carry one. */
const SHARE = 0.05
const FEWEST = 10

interface Count {
  readonly at: MonoMs
  readonly sent: number
  readonly retried: number
}

/** Finds targets with too many retried requests over kept connections for a chance, each once in thirty seconds at most. */
export class RetriedShare {
  /** By target, the counts of the span, oldest first. */
  readonly #counts = new Map<string, readonly Count[]>()
  readonly #foundAt = new Map<string, MonoMs>()

  /** One sentence for each such target. Called once a second. */
  found({ lanes }: Pick<ProbeStatus, 'lanes'>, now: MonoMs): readonly string[] {
    return lanes.filter(({ lane, control }) => lane === 'kept' && !control).flatMap((lane) => this.#foundIn(lane, now))
  }

  #foundIn({ target, sent, retried = 0 }: LaneSummary, at: MonoMs): readonly string[] {
    const counts = [...(this.#counts.get(target) ?? []), { at, sent, retried }]
    const inSpan = counts.filter((count) => at - count.at <= SPAN_MS)
    this.#counts.set(target, inSpan)
    const [first] = inSpan
    const since = { sent: sent - (first?.sent ?? sent), retried: retried - (first?.retried ?? retried) }
    if (since.retried < FEWEST || since.retried < SHARE * since.sent) return []
    const foundAt = this.#foundAt.get(target)
    if (foundAt !== undefined && at - foundAt < SPAN_MS) return []
    this.#foundAt.set(target, at)
    return [
      `${target} closed the kept connection of ${since.retried} of ${since.sent} requests before it answered, too many for a chance; they were sent again, and a client that cannot do so, as with a POST, loses them`,
    ]
  }
}

import type { GrantsFeed, GrantsReading } from '../../../src/agent/ports/grants-feed.ts'
import { WorldError } from '../../../src/ground/model/world-error.ts'
import type { FollowEvent } from '../../../src/ground/ports/cluster.ts'

type Sink = (event: FollowEvent<GrantsReading>) => void

/** Tells of the brake what a test says. A new follower is told the last of it. */
export class ToldGrantsFeed implements GrantsFeed {
  readonly #sinks = new Set<Sink>()
  #last: FollowEvent<GrantsReading> | undefined

  /** The object names these nodes. */
  granted(...names: readonly string[]): void {
    this.#tell({ type: 'applied', object: { grants: { version: 1, granted: names, max: 2, of: 5 } } })
  }

  senseless(): void {
    this.#tell({ type: 'listed', objects: [{}] })
  }

  noObject(): void {
    this.#tell({ type: 'listed', objects: [] })
  }

  deleted(): void {
    this.#tell({ type: 'deleted', object: {} })
  }

  /** From now on nothing is heard, by newcomers either. */
  away(): void {
    this.#broken('KUBE_UNREACHABLE', 'nobody answers')
    this.#last = undefined
  }

  forbidden(): void {
    this.#broken('KUBE_FORBIDDEN', 'list configmaps: forbidden')
  }

  follow(sink: Sink, signal: AbortSignal): Promise<void> {
    this.#sinks.add(sink)
    if (this.#last !== undefined) sink(this.#last)
    return new Promise((_, reject) => {
      signal.addEventListener('abort', () => {
        this.#sinks.delete(sink)
        reject(signal.reason)
      })
    })
  }

  #broken(code: string, message: string): void {
    this.#tell({ type: 'broken', error: new WorldError(message, { code, retry: 'backoff' }), retryInMs: 1_000 })
  }

  #tell(event: FollowEvent<GrantsReading>): void {
    this.#last = event
    for (const sink of this.#sinks) sink(event)
  }
}

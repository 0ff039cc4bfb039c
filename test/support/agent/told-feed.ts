import type { NodeFeed } from '../../../src/agent/ports/node-feed.ts'
import type { NodeFacts } from '../../../src/ground/model/node-facts.ts'
import { WorldError } from '../../../src/ground/model/world-error.ts'
import type { FollowEvent } from '../../../src/ground/ports/cluster.ts'
import { someFacts } from '../agent-world.ts'

/** An API server that tells each follower what a test says. A new follower is told the last of it. */
export class ToldFeed implements NodeFeed {
  readonly #sinks = new Set<(event: FollowEvent<NodeFacts>) => void>()
  #last: FollowEvent<NodeFacts> | undefined

  node(change: Partial<NodeFacts> = {}): void {
    this.#last = { type: 'listed', objects: [someFacts(change)] }
    this.#tell(this.#last)
  }

  noNode(): void {
    this.#last = { type: 'listed', objects: [] }
    this.#tell(this.#last)
  }

  /** From now on nothing is heard, by newcomers either. */
  away(): void {
    this.#last = undefined
    const error = new WorldError('nobody answers', { code: 'KUBE_UNREACHABLE', retry: 'backoff' })
    this.#tell({ type: 'broken', error, retryInMs: 1_000 })
  }

  follow(sink: (event: FollowEvent<NodeFacts>) => void, signal: AbortSignal): Promise<void> {
    this.#sinks.add(sink)
    if (this.#last !== undefined) sink(this.#last)
    return new Promise((_, reject) => {
      signal.addEventListener('abort', () => {
        this.#sinks.delete(sink)
        reject(signal.reason)
      })
    })
  }

  #tell(event: FollowEvent<NodeFacts>): void {
    for (const sink of this.#sinks) sink(event)
  }
}

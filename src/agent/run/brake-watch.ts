import { OVER } from '../../ground/model/over.ts'
import type { FollowEvent } from '../../ground/ports/cluster.ts'
import type { Log } from '../../ground/ports/log.ts'
import { type Brake, brakeBy } from '../decide/brake.ts'
import type { GrantsFeed, GrantsReading } from '../ports/grants-feed.ts'

interface BrakeWatchParts {
  readonly feed: GrantsFeed
  readonly node: string
  readonly log: Log
  readonly onChange: (brake: Brake) => void
}

/**
 * Follows the brake of the fleet. The last grants stay in force while the API server is away. If this process may not read
 * them, the brake is unknown: it sees cordons then, but no grants.
 */
export class BrakeWatch {
  readonly #parts: BrakeWatchParts
  #trouble: string | undefined
  /** Ends the present watch. */
  #anew: AbortController | undefined
  #last: readonly [brake: Brake, trouble?: string] | undefined

  constructor(parts: BrakeWatchParts) {
    this.#parts = parts
  }

  /** For people. */
  get trouble(): readonly string[] {
    return this.#trouble === undefined ? [] : [this.#trouble]
  }

  /** Rejects with the signal's reason. */
  async run(signal: AbortSignal): Promise<void> {
    for (;;) {
      const anew = new AbortController()
      this.#anew = anew
      try {
        await this.#parts.feed.follow((event) => this.#heardOf(event), AbortSignal.any([signal, anew.signal]))
      } catch (error) {
        if (!anew.signal.aborted) throw error
      }
      signal.throwIfAborted()
    }
  }

  /** Lists the grants at once: a watch says nothing while they do not change. */
  readAnew(): void {
    this.#anew?.abort(OVER)
  }

  #heardOf(event: FollowEvent<GrantsReading>): void {
    switch (event.type) {
      case 'fresh':
        // Nothing has changed up to now: so what was heard last counts as heard now.
        if (this.#last !== undefined) this.#found(...this.#last)
        break
      case 'broken':
        if (event.error.code === 'KUBE_FORBIDDEN')
          this.#found('unknown', `it is not known which cordons are granted: ${event.error.message}`)
        break
      case 'listed':
        this.#heard(event.objects[0])
        break
      case 'applied':
        this.#heard(event.object)
        break
      case 'deleted':
        this.#heard(undefined)
    }
  }

  #heard(reading: GrantsReading | undefined): void {
    const isSenseless = reading !== undefined && reading.grants === undefined
    const brake = reading === undefined ? 'none' : brakeBy(reading.grants, this.#parts.node)
    this.#last = isSenseless ? [brake, 'the ConfigMap of the granted cordons is malformed'] : [brake]
    this.#found(...this.#last)
  }

  #found(brake: Brake, trouble?: string): void {
    if (trouble !== undefined && trouble !== this.#trouble) this.#parts.log.warn(trouble)
    this.#trouble = trouble
    this.#parts.onChange(brake)
  }
}

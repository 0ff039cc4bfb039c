import type { Lease } from '../../model/lease.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Cluster, FollowEvent } from '../../ports/cluster.ts'
import { Wakeup } from '../../runtime/wakeup.ts'

interface HeartbeatFollowerParts {
  readonly cluster: Pick<Cluster, 'followHeartbeat'>
  readonly clock: Clock
  /** A renewal was told, or the Lease is gone. Called within the stream: it must only take note. */
  readonly onChange: () => void
}

interface Booted {
  readonly name: string
  readonly bootId: string
}

interface Followed extends Booted {
  readonly over: AbortController
  renewTime: string | undefined
}

/**
 * Follows the heartbeat of one node at a time, of one boot at a time: it begins with a list after that boot id was named,
 * so that no renewal which is told first can be older than that. A stream that breaks keeps what it told last, and goes on
 * from there by the cluster's own means.
 */
export class HeartbeatFollower {
  readonly #parts: HeartbeatFollowerParts
  readonly #subject: Wakeup
  #followed: Followed | undefined

  constructor(parts: HeartbeatFollowerParts) {
    this.#parts = parts
    this.#subject = new Wakeup(parts.clock)
  }

  /** From now on this node's; nothing changes where it is followed already. */
  follow({ name, bootId }: Booted): void {
    if (this.#followed?.name === name && this.#followed.bootId === bootId) return
    this.rest()
    this.#followed = { name, bootId, over: new AbortController(), renewTime: undefined }
    this.#subject.wake()
  }

  /** Nobody's. */
  rest(): void {
    this.#followed?.over.abort(new DOMException('another heartbeat is awaited, or none', 'AbortError'))
    this.#followed = undefined
  }

  /** The renewTime last told, verbatim; undefined before the first list, and while there is no Lease. */
  renewTime(): string | undefined {
    return this.#followed?.renewTime
  }

  /** Rejects with the signal's reason. */
  async run(signal: AbortSignal): Promise<never> {
    for (;;) {
      const followed = this.#followed
      if (followed === undefined) await this.#subject.next(undefined, signal)
      else await this.#follow(followed, signal)
    }
  }

  async #follow(followed: Followed, signal: AbortSignal): Promise<void> {
    const over = AbortSignal.any([signal, followed.over.signal])
    const sink = (event: FollowEvent<Lease>): void => this.#take(followed, event)
    try {
      await this.#parts.cluster.followHeartbeat(followed.name, sink, over)
    } catch (error) {
      if (!over.aborted) throw error
    }
    signal.throwIfAborted()
  }

  /** Whatever else the API shows, only the Lease of that name is the node's. */
  #take(followed: Followed, event: FollowEvent<Lease>): void {
    if (event.type === 'fresh' || event.type === 'broken') return
    const told = event.type === 'listed' ? event.objects : [event.object]
    const lease = told.find(({ name }) => name === followed.name)
    if (lease === undefined && event.type !== 'listed') return
    const renewTime = event.type === 'deleted' ? undefined : lease?.renewTime || undefined
    if (renewTime === followed.renewTime) return
    followed.renewTime = renewTime
    this.#parts.onChange()
  }
}

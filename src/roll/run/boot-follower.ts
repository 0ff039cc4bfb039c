import { Wakeup } from '../../ground/loop/wakeup.ts'
import type { Lease } from '../../ground/model/lease.ts'
import type { Pod } from '../../ground/model/pod.ts'
import type { Clock } from '../../ground/ports/clock.ts'
import type { Cluster, FollowEvent } from '../../ground/ports/cluster.ts'

type Sink<O> = (event: FollowEvent<O>) => void

interface BootFollowerParts<O, T> {
  readonly clock: Clock
  readonly open: (node: string, sink: Sink<O>, signal: AbortSignal) => Promise<void>
  /** What is known of a node after an event, by what was known before it: the same value where it tells nothing new. */
  readonly fold: (node: string, event: FollowEvent<O>, known: T | undefined) => T | undefined
  /** Something new is known. Called within the stream: it must only take note. */
  readonly onChange: () => void
}

interface Booted {
  readonly name: string
  readonly bootId: string
}

interface Followed<T> extends Booted {
  readonly over: AbortController
  known: T | undefined
}

/**
 * Follows one stream, for one node and one boot at a time. The stream begins with a list that is made after the boot id was known, so its
 * first value is no older than the boot. A stream that breaks keeps its last value, and the cluster adapter resumes it.
 */
class BootFollower<O, T> {
  readonly #parts: BootFollowerParts<O, T>
  readonly #subject: Wakeup
  #followed: Followed<T> | undefined

  constructor(parts: BootFollowerParts<O, T>) {
    this.#parts = parts
    this.#subject = new Wakeup(parts.clock)
  }

  /** From now on this node's; nothing changes where it is followed already. */
  follow({ name, bootId }: Booted): void {
    if (this.#followed?.name === name && this.#followed.bootId === bootId) return
    this.rest()
    this.#followed = { name, bootId, over: new AbortController(), known: undefined }
    this.#subject.wake()
  }

  /** No node's. */
  rest(): void {
    this.#followed?.over.abort(new DOMException('another boot is followed, or none', 'AbortError'))
    this.#followed = undefined
  }

  /** Undefined before the first list. */
  known(): T | undefined {
    return this.#followed?.known
  }

  /** Rejects with the signal's reason. */
  async run(signal: AbortSignal): Promise<never> {
    for (;;) {
      const followed = this.#followed
      if (followed === undefined) await this.#subject.next(undefined, signal)
      else await this.#follow(followed, signal)
    }
  }

  async #follow(followed: Followed<T>, signal: AbortSignal): Promise<void> {
    const over = AbortSignal.any([signal, followed.over.signal])
    const { open, fold, onChange } = this.#parts
    const sink: Sink<O> = (event) => {
      const known = fold(followed.name, event, followed.known)
      if (known === followed.known) return
      followed.known = known
      onChange()
    }
    try {
      await open(followed.name, sink, over)
    } catch (error) {
      if (!over.aborted) throw error
    }
    signal.throwIfAborted()
  }
}

interface FollowerParts<M extends keyof Cluster>
  extends Pick<BootFollowerParts<unknown, unknown>, 'clock' | 'onChange'> {
  readonly cluster: Pick<Cluster, M>
}

/** The renewTime read last, verbatim; undefined while there is no Lease. */
export const heartbeatFollower = ({ cluster, ...parts }: FollowerParts<'followHeartbeat'>) =>
  new BootFollower<Lease, string>({
    ...parts,
    open: (node, sink, signal) => cluster.followHeartbeat(node, sink, signal),
    fold: renewTimeAfter,
  })

/** Whatever else the API shows, only the Lease of that name is the node's. */
function renewTimeAfter(node: string, event: FollowEvent<Lease>, known: string | undefined): string | undefined {
  if (event.type === 'fresh' || event.type === 'broken') return known
  const lease = objectsOf(event).find(({ name }) => name === node)
  if (lease === undefined && event.type !== 'listed') return known
  return event.type === 'deleted' ? undefined : lease?.renewTime || undefined
}

/** The container ids that the first list showed, and those that came only after it. */
interface Containers {
  readonly first: ReadonlySet<string>
  readonly since: ReadonlySet<string>
}

/**
 * Which containers of a node are of the boot that is followed: those that its pods did not show yet when its boot id was
 * known. A list of that moment tells them from a container that restarted before the reboot and is heard of late.
 */
export const containerFollower = ({ cluster, ...parts }: FollowerParts<'followPodsOf'>) =>
  new BootFollower<Pod, Containers>({
    ...parts,
    open: (node, sink, signal) => cluster.followPodsOf(node, sink, signal),
    fold: containersAfter,
  })

function containersAfter(node: string, event: FollowEvent<Pod>, known: Containers | undefined): Containers | undefined {
  if (event.type === 'fresh' || event.type === 'broken') return known
  const pods = objectsOf(event).filter(({ nodeName }) => nodeName === node)
  const ids = pods.flatMap(({ containerIds }) => Object.values(containerIds)).filter((id) => id !== '')
  if (known === undefined) return { first: new Set(ids), since: new Set() }
  const fresh = ids.filter((id) => !known.first.has(id) && !known.since.has(id))
  return fresh.length === 0 ? known : { ...known, since: new Set([...known.since, ...fresh]) }
}

const objectsOf = <O>(event: Exclude<FollowEvent<O>, { type: 'fresh' | 'broken' }>): readonly O[] =>
  event.type === 'listed' ? event.objects : [event.object]

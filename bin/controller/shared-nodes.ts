import { parseFleetNode } from '../../src/agent/io/parse-fleet-node.ts'
import type { FleetNode } from '../../src/agent/model/fleet-node.ts'
import { CLUSTER_KINDS } from '../../src/ground/kube/cluster-kinds.ts'
import { type FollowParts, follow } from '../../src/ground/kube/follow.ts'
import { parseItem } from '../../src/ground/kube/parse-item.ts'
import { resourceOf } from '../../src/ground/kube/resources.ts'
import { invariant } from '../../src/ground/model/invariant.ts'
import type { Node } from '../../src/ground/model/node.ts'
import type { ObjectKind } from '../../src/ground/model/object-kind.ts'
import { OVER } from '../../src/ground/model/over.ts'
import { present } from '../../src/ground/model/present.ts'
import { untilAborted } from '../../src/ground/model/until-aborted.ts'
import type { Untrusted } from '../../src/ground/model/untrusted.ts'
import type { FollowEvent } from '../../src/ground/ports/cluster.ts'

/** Settles only when aborted, with the signal's reason. */
type Follow<T> = (sink: (event: FollowEvent<T>) => void, signal: AbortSignal) => Promise<void>

interface SharedNodes {
  /** As `kubeFleet` follows them. */
  readonly fleet: Follow<FleetNode>
  /** As `kubeCluster` follows them. */
  readonly nodes: Follow<Node>
}

/** A Node of one reply, parsed for the brake and for the other readers, which skip what makes no sense. */
interface ReadNode {
  readonly fleet: FleetNode
  readonly node?: Node
}

/**
 * One watch of all Nodes for the brake and for IngressDaemonSets. In a fleet at rest nearly all events are the kubelets' own
 * writes, and each is as large as its Node: so they are received once.
 */
export function sharedNodes(parts: FollowParts): SharedNodes {
  const { nodes } = CLUSTER_KINDS
  const kind: ObjectKind<ReadNode> = {
    ...nodes,
    parse: (object: Untrusted) => {
      const [node] = parseItem(resourceOf({ kind: nodes }), object, parts.log)
      return { fleet: parseFleetNode(object), ...present({ node }) }
    },
  }
  const watch = new SharedFollow<ReadNode>((sink, signal) =>
    follow(parts, { kind: resourceOf({ kind }), sink }, signal),
  )
  const part =
    <T>(of: (read: ReadNode) => T | undefined): Follow<T> =>
    (sink, signal) =>
      watch.follow((event) => sink(partOf(event, of)), signal)
  return { fleet: part(({ fleet }) => fleet), nodes: part(({ node }) => node) }
}

function partOf<T>(event: FollowEvent<ReadNode>, of: (read: ReadNode) => T | undefined): FollowEvent<T> {
  switch (event.type) {
    case 'listed':
      return { type: 'listed', objects: event.objects.flatMap((read) => of(read) ?? []) }
    case 'applied':
    case 'deleted': {
      const object = of(event.object)
      return object === undefined ? { type: 'fresh' } : { type: event.type, object }
    }
    default:
      return event
  }
}

/**
 * Starts with the first follower and ends with the last. A follower that comes after the first list restarts the watch, and all
 * get a new list.
 */
class SharedFollow<T> {
  readonly #begin: Follow<T>
  readonly #sinks = new Set<(event: FollowEvent<T>) => void>()
  #running: Promise<void> | undefined
  #life = new AbortController()
  #isListed = false

  constructor(begin: Follow<T>) {
    this.#begin = begin
  }

  async follow(sink: (event: FollowEvent<T>) => void, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    this.#sinks.add(sink)
    if (this.#isListed) this.#life.abort(OVER)
    this.#running ??= this.#run()
    try {
      await untilAborted(this.#running, signal)
    } finally {
      this.#sinks.delete(sink)
      if (this.#sinks.size === 0) this.#life.abort(OVER)
    }
  }

  async #run(): Promise<void> {
    try {
      while (this.#sinks.size > 0) {
        this.#life = new AbortController()
        this.#isListed = false
        await this.#untilOver(this.#life.signal)
      }
    } finally {
      // In the same turn as the last check of the followers: the next one must not wait for a run that has ended.
      this.#running = undefined
    }
  }

  async #untilOver(life: AbortSignal): Promise<void> {
    try {
      await this.#begin((event) => this.#tell(event), life)
    } catch (error) {
      if (!life.aborted) throw error
      return
    }
    invariant(life.aborted, 'a follow of the nodes ends only when it is aborted')
  }

  #tell(event: FollowEvent<T>): void {
    if (this.#life.signal.aborted) return
    if (event.type === 'listed') this.#isListed = true
    for (const sink of [...this.#sinks]) sink(event)
  }
}

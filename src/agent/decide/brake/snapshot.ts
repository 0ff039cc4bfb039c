import type { OutLimit } from '../../../ground/model/out-limit.ts'
import type { MonoMs } from '../../../ground/model/time.ts'
import type { CordonGrants } from '../../../service/model/cordon-grants.ts'
import type { FleetNode } from '../../model/fleet-node.ts'

/** What this process has seen of the fleet over time. No list contains it. */
export interface BrakeMemory {
  /** By name: since when the node is cordoned, as this process saw it, and the uid of its Node. */
  readonly cordoned: ReadonlyMap<string, { readonly uid: string; readonly since: MonoMs }>
  /** The names of nodes that were out for another reason than a cordon. */
  readonly away: ReadonlySet<string>
  /** By name: since when the node is no longer out. Its agent and its balancers learn this a little later. */
  readonly returning: ReadonlyMap<string, MonoMs>
  /** When this process first saw the fleet; absent before. It is not known which nodes came back shortly before it. */
  readonly since?: MonoMs
}

/** The ConfigMap as it was read. Its content is hostile until it is parsed. */
export interface Published {
  /** Undefined if it cannot be parsed. */
  readonly grants?: CordonGrants
  /** The process that wrote the ConfigMap last. */
  readonly writer: string
  /** Nodes that wait, and whose Node has an event that says so. */
  readonly announced: readonly string[]
}

export interface BrakeSnapshot {
  readonly now: MonoMs
  /** This leader. */
  readonly self: string
  readonly limit: OutLimit
  /** How long a node that is no longer out still counts as out. */
  readonly returnMs: number
  readonly fleet:
    | { readonly kind: 'known'; readonly nodes: readonly FleetNode[] }
    | { readonly kind: 'unknown'; readonly why: string }
  readonly memory: BrakeMemory
  /** Undefined: there is no ConfigMap. */
  readonly published: Published | undefined
}

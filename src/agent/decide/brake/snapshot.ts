import type { OutLimit } from '../../../ground/model/out-limit.ts'
import type { MonoMs } from '../../../ground/model/time.ts'
import type { CordonGrants } from '../../../service/model/cordon-grants.ts'
import type { FleetNode } from '../../model/fleet-node.ts'

/** What was seen of the fleet over time, and no list tells. */
export interface BrakeMemory {
  /** By name: cordoned since, as this process saw it, and which Node that was. */
  readonly cordoned: ReadonlyMap<string, { readonly uid: string; readonly since: MonoMs }>
  /** Names of those that were out for another reason than a cordon. */
  readonly away: ReadonlySet<string>
  /** By name: not out any more since. Its agent and its balancers take a while to hear of it. */
  readonly returning: ReadonlyMap<string, MonoMs>
  /** Of this process's first sight of the fleet; absent before. Which nodes came back shortly before it is not known. */
  readonly since?: MonoMs
}

/** The ConfigMap as it was read; what it says is hostile until parsed. */
export interface Published {
  /** Undefined where it says nothing that makes sense. */
  readonly grants?: CordonGrants
  /** The process that wrote it last. */
  readonly writer: string
  /** Nodes that wait, and whose Node bears an event that says so. */
  readonly told: readonly string[]
}

export interface BrakeSnapshot {
  readonly now: MonoMs
  /** This leader. */
  readonly self: string
  readonly limit: OutLimit
  /** How long a node that is not out any more counts as out still. */
  readonly returnMs: number
  readonly fleet:
    | { readonly kind: 'known'; readonly nodes: readonly FleetNode[] }
    | { readonly kind: 'unknown'; readonly why: string }
  readonly memory: BrakeMemory
  /** Undefined: there is none. */
  readonly published: Published | undefined
}

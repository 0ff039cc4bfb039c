import type { MonoMs } from '../../ground/model/time.ts'
import type { StatusReading } from './balancer-commands.ts'
import type { CheckReading } from './health-check.ts'
import type { EndpointReading } from './health-endpoint.ts'

/** One server line of one balancer instance. */
export interface ServerRef {
  readonly instance: string
  readonly backend: string
  readonly server: string
}

export const serverKey = (ref: ServerRef): string => `${ref.backend}/${ref.server} on ${ref.instance}`

/** The administrative state a balancer can be told, and told again. */
export type AdminState = 'ready' | 'drain' | 'maint'

/**
 * One server as the balancer reports it. HAProxy: `show servers state` (admin bits, not the status string:
 * management.txt 9.3) joined with `show stat` (sessions).
 */
export interface ServerReading {
  readonly ref: ServerRef
  readonly address: string
  readonly port: number
  /** What traffic sees, whatever the state comes from. */
  readonly adminState: AdminState
  /** What commands (or the configuration's `disabled`) set on this very server: what a record keeps and a restore sets. */
  readonly ownState: AdminState
  /** A state comes from a tracked server or from name resolution: `ready` on this server does not lift it. */
  readonly inherited: boolean
  /** The balancer would send it traffic if it were `ready`. */
  readonly operational: 'up' | 'starting' | 'stopping' | 'down'
  /** `none`: the server has no health check, so up proves nothing. `failing` until `rise` checks passed. */
  readonly check: 'passing' | 'failing' | 'none'
  /** The last check that ended failed. Absent: it passed, or none has ended since the balancer began. */
  readonly lastCheckFailed?: true
  /** It has a check, and none has ended since the balancer began: it counts as up, and one that fails takes it out at once. */
  readonly uncheckedYet?: true
  /** The balancer's own words for its last check: `L7OK/200`, or `L7OK` while the next one runs. */
  readonly checkText: string
  /** An agent-check is configured on it: it may undo what we set. */
  readonly agent: boolean
  /** Clients are remembered for it, by cookie or stick table: `drain` alone does not keep those away. */
  readonly persistent: boolean
  readonly currentSessions: number
  readonly queued: number
  /** Sessions that processes from before a reload still have with it, or queue for it. Absent: none, or they were not asked. */
  readonly oldSessions?: number
  /** Clients that those processes still have, who may send more, to any server. Absent: none, or they were not asked. */
  readonly oldClients?: number
  /** Why processes before the last reload cannot be asked. Absent: they were, or there is no way to them. */
  readonly oldUnknown?: string
  /** Cumulative sessions sent to it (`stot`); counts from 0 again with each new balancer process. */
  readonly totalSessions: number
  /** It was seen in service before this process of the balancer began, which itself tells of no session. */
  readonly servedBefore?: true
  /**
   * Connections to it that the balancer keeps open for reuse. A server that reboots leaves them dead without a word, and
   * the first requests over them after its return would fail.
   */
  readonly idleConnections: number
  readonly weight: number
  /** Used only when every server that is no backup is gone; often it serves nothing but an apology. */
  readonly backup: boolean
  /** Where no balancer can be asked, and the node's agent tells what it answers them. */
  readonly endpoint?: EndpointReading
  /** No balancer told it: it stands on the Node, for a detacher to read and to answer. */
  readonly detacher?: true
  /** No balancer told it: a mark stands on the Node, or does not, and the health check of the node answers. */
  readonly nodeCheck?: CheckReading
  /** A command told it. */
  readonly status?: StatusReading
}

/** One poll of one instance that answered. */
export interface InstanceReading {
  readonly instance: string
  /** The balancer process that answered; another one voids all evidence read before. */
  readonly process: string
  readonly version: string
  readonly at: MonoMs
  readonly servers: readonly ServerReading[]
}

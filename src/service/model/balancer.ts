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

/** An administrative state that can be set. */
export type AdminState = 'ready' | 'drain' | 'maint'

/**
 * One server as the balancer reports it. HAProxy: `show servers state` (admin bits, not the status string:
 * management.txt 9.3) joined with `show stat` (sessions).
 */
export interface ServerReading {
  readonly ref: ServerRef
  readonly address: string
  readonly port: number
  /** The state that traffic sees, wherever it comes from. */
  readonly adminState: AdminState
  /** The state that commands (or the configuration's `disabled`) set on this server: the one that is recorded and restored. */
  readonly ownState: AdminState
  /** The state comes from a tracked server or from name resolution: `ready` on this server does not lift it. */
  readonly inherited: boolean
  /** The balancer would send it traffic if it were `ready`. */
  readonly operational: 'up' | 'starting' | 'stopping' | 'down'
  /** `none`: the server has no health check, so up proves nothing. `failing` until `rise` checks passed. */
  readonly check: 'passing' | 'failing' | 'none'
  /** The last check that ended failed. Absent: it passed, or none has ended since the balancer began. */
  readonly lastCheckFailed?: true
  /**
   * The server has a check, and none has ended since the balancer started: it counts as up, and one failed check takes it out
   * at once.
   */
  readonly uncheckedYet?: true
  /** The balancer's own words for its last check: `L7OK/200`, or `L7OK` while the next one runs. */
  readonly checkText: string
  /** An agent-check is configured on it: it may undo what we set. */
  readonly agent: boolean
  /** That agent-check was disabled by the runtime API, until a reload. Absent: it runs, or there is none. */
  readonly agentDisabled?: true
  /** Clients are remembered for it, by cookie or stick table: `drain` alone does not keep those away. */
  readonly persistent: boolean
  readonly currentSessions: number
  readonly queued: number
  /** Sessions that workers from before a reload still have with the server, or queue for it. Absent: none, or not asked. */
  readonly oldSessions?: number
  /** Clients that those workers still have, who may send more, to any server. Absent: none, or not asked. */
  readonly oldClients?: number
  /** Why those workers cannot be asked. Absent: they were asked, or there is no way to them. */
  readonly oldUnknown?: string
  /** Cumulative sessions sent to it (`stot`); counts from 0 again with each new balancer process. */
  readonly totalSessions: number
  /** The server was seen in service before this process of the balancer started, which itself has counted no session. */
  readonly servedBefore?: true
  /**
   * Connections to the server that the balancer keeps open for reuse. A reboot leaves them dead without notice, and the first
   * requests over them after its return would fail.
   */
  readonly idleConnections: number
  readonly weight: number
  /** Used only when every server that is no backup is gone; often it serves only an error page. */
  readonly backup: boolean
  /** Set where no balancer can be asked: what the node's agent answers to load balancers. */
  readonly endpoint?: EndpointReading
  /** The reading comes from the Node, where a detacher reads requests and answers them. */
  readonly detacher?: true
  /** The reading comes from the mark on the Node, and from the health check of the node. */
  readonly nodeCheck?: CheckReading
  /** The reading comes from a status command. */
  readonly status?: StatusReading
}

/** One poll of one instance that answered. */
export interface InstanceReading {
  readonly instance: string
  /** The balancer process that answered; another process voids all earlier evidence. */
  readonly process: string
  readonly version: string
  readonly at: MonoMs
  readonly servers: readonly ServerReading[]
}

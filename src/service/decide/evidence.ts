import type { MonoMs, WallMs } from '../../ground/model/time.ts'

/** What was seen of a node's places, and the world no longer shows. */
export interface ServiceEvidence {
  /** Server key → since when one and the same balancer process has confirmed the detach. */
  readonly detached: Readonly<Record<string, DetachEvidence>>
  /** Server key → what those who check a node's health endpoint have noticed. */
  readonly noticing: Readonly<Record<string, Noticing>>
  /** Server key → how the wait for connections that cannot be cut ended. */
  readonly connectionsEnded: Readonly<Record<string, ConnectionsEnd>>
  /** Server key → when it was last set to `maint`, which closes its pooled connections, some of them late. */
  readonly purgedAt: Readonly<Record<string, MonoMs>>
  /** Set when the first server is put back, or is to be; from then on settling is over. */
  readonly attachingSince?: MonoMs
  /** None was put back yet, since a claim of another owner has stood on the node all the while. */
  readonly awaitsClaims?: boolean
  readonly attachingSinceWall?: WallMs
}

export interface DetachEvidence {
  readonly process: string
  /** Since when it is out without a break. Undefined while it is back in service: people set it ready, or a reload did. */
  readonly since: MonoMs | undefined
  /** Sessions the balancer had sent when it confirmed; each one more is a stray. */
  readonly totalSessions: number
  readonly strays: number
  readonly cutSessions: number
}

/** What those who check a node's health endpoint are to notice: that it has left, or that it is back. */
export interface Noticing {
  readonly way: 'out' | 'in'
  /** Since the agent answers so, or the mark on the Node stands so. */
  readonly since: MonoMs
  /** Since every declared checker has heard it often enough, or the health check answers so. */
  readonly heardSince?: MonoMs
  /** Of a node that is back: since when its agent is not heard, if it is not. */
  readonly silentSince?: MonoMs
  /** They must have noticed: by what they were told, or since no balancer takes longer. */
  readonly noticed?: {
    readonly by: 'checks' | 'time'
    readonly at: MonoMs
    /** Where the wait began later than `since`. */
    readonly from?: MonoMs
    /** What was waited for, where there is more to say: follows `waited 8 s`. */
    readonly words?: string
  }
}

/** Why the connections of a node are waited for no longer, where no balancer can be asked for them or cut them. */
export interface ConnectionsEnd {
  /** None is left, or the idle limit is over. */
  readonly by: 'connections' | 'limit'
  readonly left: number | 'unknown'
  /** Since when load balancers have noticed that the node leaves. */
  readonly since: MonoMs
  readonly at: MonoMs
}

/** These servers served meanwhile: the next look that finds one of them out begins its idle limit anew. */
export function outAnew<E extends ServiceEvidence>(evidence: E, servers: ReadonlySet<string>): E {
  if (servers.size === 0) return evidence
  const detached = Object.entries(evidence.detached).map(([server, seen]) =>
    servers.has(server) ? [server, { ...seen, since: undefined }] : [server, seen],
  )
  return { ...evidence, detached: Object.fromEntries(detached) }
}

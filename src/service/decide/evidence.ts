import type { MonoMs, WallMs } from '../../ground/model/time.ts'

/** What was seen of a node's places and cannot be read again. */
export interface ServiceEvidence {
  /** Server key → since when the same balancer process has confirmed the detach. */
  readonly detached: Readonly<Record<string, DetachEvidence>>
  /** Server key → what the checkers of the node's health endpoint have noticed. */
  readonly noticing: Readonly<Record<string, Noticing>>
  /** Server key → how the wait for connections that cannot be cut ended. */
  readonly connectionsEnded: Readonly<Record<string, ConnectionsEnd>>
  /** Server key → this process has set it to a state in which it is sent nothing. */
  readonly setOut: Readonly<Record<string, true>>
  /** Server key → when it was last set to `maint`, which closes its pooled connections, some of them late. */
  readonly purgedAt: Readonly<Record<string, MonoMs>>
  /** Server key → when it was first seen, after the reboot, to have no connection in its pool. */
  readonly emptiedAt: Readonly<Record<string, MonoMs>>
  /** Server key → when it was set to `ready` after the reboot: its own checks had passed. */
  readonly putBackAt: Readonly<Record<string, MonoMs>>
  /** Set when the first server is put back, or is to be; settling is over then. */
  readonly attachingSince?: MonoMs
  /** No server was put back yet, because another owner's claim has been on the node all the time. */
  readonly awaitsClaims?: boolean
  readonly attachingSinceWall?: WallMs
  /** When it served again first, on every instance: its own checks had passed. */
  readonly attachedAt?: MonoMs
}

export interface DetachEvidence {
  readonly process: string
  /** Since when the server is out without a break. Undefined while it is back in service: people or a reload set it ready. */
  readonly since: MonoMs | undefined
  /** Sessions the balancer had sent when it confirmed; each one more is a stray. */
  readonly totalSessions: number
  readonly strays: number
  /** When the last stray was seen. */
  readonly strayedAt?: MonoMs
  /** It was sent sessions in `drain`: something chooses it directly. */
  readonly isSentInDrain?: true
  readonly cutSessions: number
}

/** What the checkers of a node's health endpoint have to notice: that the node has left, or that it is back. */
export interface Noticing {
  readonly way: 'out' | 'in'
  /** Since when the agent gives this answer, or the mark on the Node is set or gone. */
  readonly since: MonoMs
  /** Since when every declared checker has had the answer often enough, or the health check shows it. */
  readonly heardSince?: MonoMs
  /** Of a node that is back: since when its agent does not answer. */
  readonly silentSince?: MonoMs
  /** The checkers must have noticed: they had the answer often enough, or the time of the slowest is over. */
  readonly noticed?: {
    readonly by: 'checks' | 'time'
    readonly at: MonoMs
    /** Where the wait began later than `since`. */
    readonly from?: MonoMs
    /** What was waited for, where there is more to say: continues `waited 8 s`. */
    readonly words?: string
  }
}

/** Why the connections of a node are not waited for any more, where no balancer can show or cut them. */
export interface ConnectionsEnd {
  /** None is left, or the idle limit is over. */
  readonly by: 'connections' | 'limit'
  readonly left: number | 'unknown'
  /** Since when load balancers have noticed that the node leaves. */
  readonly since: MonoMs
  readonly at: MonoMs
}

/** These servers served meanwhile: when one of them is next read as out, its idle limit begins anew. */
export function outAnew<E extends ServiceEvidence>(evidence: E, servers: ReadonlySet<string>): E {
  if (servers.size === 0) return evidence
  const detached = Object.entries(evidence.detached).map(([server, seen]) =>
    servers.has(server) ? [server, { ...seen, since: undefined }] : [server, seen],
  )
  return { ...evidence, detached: Object.fromEntries(detached) }
}

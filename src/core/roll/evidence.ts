import type { EvictionAnswer } from '../../model/eviction.ts'
import type { RebootAnswer } from '../../model/host.ts'
import type { Reason } from '../../model/reason.ts'
import type { Step } from '../../model/step.ts'
import type { MonoMs, WallMs } from '../../model/time.ts'
import type { ConnectionsEnd } from '../service/actuators/connections-end.ts'
import type { Noticing } from '../service/actuators/noticing.ts'

/**
 * What this process has seen of the node under way and the world no longer shows. It is never written down: a new
 * process starts with none and gathers it again, which costs time and never safety.
 */
export interface Evidence {
  readonly node: string
  readonly startedAt: WallMs
  /** When this process heard that the slot is its own: what was read before may be another owner's doing. */
  readonly slotTakenAt?: MonoMs
  /** Server key → since when one and the same balancer process has confirmed the detach. */
  readonly detached: Readonly<Record<string, DetachEvidence>>
  /** Server key → what those who check a node's health endpoint have noticed. */
  readonly noticing: Readonly<Record<string, Noticing>>
  /** Server key → how the wait for connections ended that nobody can cut. */
  readonly connectionsEnded: Readonly<Record<string, ConnectionsEnd>>
  /** Server key → when it was last set to `maint`, which closes its pooled connections, some of them late. */
  readonly purgedAt: Readonly<Record<string, MonoMs>>
  /** Action key → when it may be tried again, after how many failures. */
  readonly retries: Readonly<Record<string, Retry>>
  /** Pod uid → the API's last answer to its eviction. */
  readonly evictions: Readonly<Record<string, EvictionAnswer>>
  /** Uids of the pods that were here when the drain began. */
  readonly firstSeen: readonly string[]
  /** Uids that were evicted and are gone: never evicted twice. */
  readonly evicted: Readonly<Record<string, EvictedPod>>
  /** Since when a step before the reboot has held without progress, in which step, and why. */
  readonly stuckSince?: MonoMs | undefined
  readonly stuckStep?: Step | undefined
  readonly stuckReasons: readonly Reason[]
  /** Pods on the node when it last made progress. */
  readonly podsLeft: number
  /** This process wrote the intent and has not sent the command: nobody else can have. */
  readonly intentByUs: boolean
  readonly reboot?: { readonly at: MonoMs; readonly answer: RebootAnswer }
  /** The first sight of another boot id, with the heartbeats at that moment. */
  readonly returned?: {
    readonly bootId: string
    readonly at: MonoMs
    readonly heartbeat: string
    readonly leaseRenewTime?: string
  }
  /** Since when the node under way has no object any more. */
  readonly goneSince?: MonoMs | undefined
  /** Since when this process has waited for the machine to come back, or to be told to reboot. */
  readonly awaySince?: MonoMs | undefined
  readonly settledInARow: number
  readonly settledAt?: MonoMs | undefined
  readonly settlingSince?: MonoMs
  /** Set when the first server is put back; from then on settling is over. */
  readonly attachingSince?: MonoMs
  readonly attachingSinceWall?: WallMs
  readonly attachedAt?: MonoMs
  readonly attachedAtWall?: WallMs
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

interface Retry {
  readonly failures: number
  readonly notBefore: MonoMs
  readonly error: string
}

export interface EvictedPod {
  readonly name: string
  readonly stage: number
  readonly workload?: string
}

export function noEvidence(node: string, startedAt: WallMs): Evidence {
  return {
    node,
    startedAt,
    detached: {},
    noticing: {},
    connectionsEnded: {},
    purgedAt: {},
    retries: {},
    evictions: {},
    firstSeen: [],
    evicted: {},
    stuckReasons: [],
    podsLeft: Number.POSITIVE_INFINITY,
    intentByUs: false,
    settledInARow: 0,
  }
}

/** These servers served meanwhile: the next look that finds one of them out begins its idle limit anew. */
export function outAnew(evidence: Evidence, servers: ReadonlySet<string>): Evidence {
  if (servers.size === 0) return evidence
  const detached = Object.entries(evidence.detached).map(([server, seen]) =>
    servers.has(server) ? [server, { ...seen, since: undefined }] : [server, seen],
  )
  return { ...evidence, detached: Object.fromEntries(detached) }
}

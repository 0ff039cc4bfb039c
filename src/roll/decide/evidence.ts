import type { EvictionAnswer } from '../../ground/model/eviction.ts'
import type { RebootAnswer } from '../../ground/model/host.ts'
import type { Reason } from '../../ground/model/reason.ts'
import type { MonoMs, WallMs } from '../../ground/model/time.ts'
import type { ServiceEvidence } from '../../service/decide/evidence.ts'
import type { Step } from '../model/step.ts'

/**
 * What this process has seen of the node under way and cannot be read again. It is never written down: a new process starts
 * with none and gathers it again, which costs time and never safety.
 */
export interface Evidence extends ServiceEvidence {
  readonly node: string
  readonly startedAt: WallMs
  /** When this process first knew that the slot is its own: what was read before may be another owner's doing. */
  readonly slotTakenAt?: MonoMs
  /** Action key → when it may be tried again, after how many failures. */
  readonly retries: Readonly<Record<string, Retry>>
  /** Action key → how often it was written on the Node, and when it may be written again, where somebody undoes it. */
  readonly written?: Readonly<Record<string, { readonly times: number; readonly notBefore: MonoMs }>>
  /** Pod uid → the API's last answer to its eviction. */
  readonly evictions: Readonly<Record<string, EvictionAnswer>>
  /** Uids of the pods that were here when the drain began. */
  readonly firstSeen: readonly string[]
  /** Pod uid → each version that labels were written to: a reading with one of these versions is older than our write. */
  readonly relabelled?: Readonly<Record<string, readonly string[]>>
  /** Uid of a pod that was let go → since when it is no endpoint any more. */
  readonly endpointGoneSince?: Readonly<Record<string, MonoMs>> | undefined
  /** Uid of a pod that may not leave → since when, of those that `drain.blocked` chooses. */
  readonly blocked?: Readonly<Record<string, BlockedPod>>
  /** Pods that were evicted, or may have been: the answer of the API server was lost. */
  readonly evicted: Readonly<Record<string, EvictedPod>>
  /** Volumes of pods that were seen here since the record. */
  readonly volumesSeen?: readonly string[]
  /** Nodes whose marks as nodes to come were written: the watch may not show them yet. */
  readonly marked?: readonly string[]
  /**
   * Since when the steps before the reboot have held without progress, later by each time that did not count; the last step that was
   * reached, and why it holds.
   */
  readonly stuckSince?: MonoMs | undefined
  readonly stuckStep?: Step | undefined
  readonly stuckReasons: readonly Reason[]
  /** What it waits for since then, and how long it had waited for each other class. */
  readonly stuckFor?: WaitClass | undefined
  readonly waitedMs?: Readonly<Partial<Record<WaitClass, number>>>
  /** When the last pass decided. */
  readonly passedAt?: MonoMs
  /** Moment and name of a gate → since when it has held the node there. */
  readonly gatesHeld?: Readonly<Record<string, MonoMs>> | undefined
  /**
   * How long the step settle has waited for gates and hooks alone, up to its last pass; `at` is absent while it waits for
   * something else.
   */
  readonly gateWait?: { readonly ms: number; readonly at?: MonoMs }
  /** The fewest pods that were still to leave in the drain. */
  readonly podsLeft: number
  /** This process wrote the intent and has not sent the command: no other process can have sent it. */
  readonly intentByUs: boolean
  /** This process has written an intent again that the Node had lost. The command may have been sent before. */
  readonly announcedAgain?: true
  /** Its reboot was announced, and it was seen without its cordon since: pods may have come. */
  readonly reopened?: true
  readonly reboot?: { readonly at: MonoMs; readonly answer: RebootAnswer }
  /** Since when its proof is waited for: another boot id than the recorded one was seen, whichever it is now. */
  readonly returnedSince?: MonoMs
  /** When its boot id was seen first, with the heartbeats at that moment. */
  readonly returned?: {
    readonly bootId: string
    readonly at: MonoMs
    readonly heartbeat: string
    readonly leaseRenewTime?: string
  }
  /** Since when the node under way has no object any more. */
  readonly goneSince?: MonoMs | undefined
  /** Since when this process has waited for the machine to come back, or for its reboot command to be sent. */
  readonly awaySince?: MonoMs | undefined
  /** Since when a hook has waited for the journal before the node is uncordoned. Absent while the journal can be written. */
  readonly unwrittenSince?: MonoMs | undefined
  /** How long it has been on its way back in the steps before `settle`, and what held it there last. */
  readonly returning?: { readonly ms: number; readonly reasons: readonly Reason[] }
  /** How long what is left after the soak has been waited for, and why it is not done. */
  readonly lastWork?: { readonly ms: number; readonly reasons: readonly Reason[] }
  readonly settledInARow: number
  readonly settledAt?: MonoMs | undefined
  readonly settlingSince?: MonoMs
  /** Since when the attach has been waited for, later by the time in which the node served. Absent: since it began. */
  readonly attachDueSince?: MonoMs | undefined
  readonly attachedAtWall?: WallMs
  /** When it was seen last not to serve, after that. */
  readonly unattachedAt?: MonoMs
  readonly unattachedAtWall?: WallMs
}

/** Waits that have a limit, each its own. */
export type WaitClass = 'window' | 'baseline' | 'blocked' | 'in course'

/** Since when a node or machine has waited without progress, and for what. */
export type Stuck = Partial<
  Pick<Evidence, 'stuckSince' | 'stuckStep' | 'stuckReasons' | 'stuckFor' | 'waitedMs' | 'passedAt'>
>

interface Retry {
  readonly failures: number
  readonly notBefore: MonoMs
  readonly error: string
}

export interface BlockedPod {
  /** Or since when people let the wait begin again. */
  readonly since: MonoMs
  /** The answer as it was read last. */
  readonly answer?: string
}

export interface EvictedPod {
  readonly name: string
  readonly stage: number
  readonly workload?: string
  /** Uid of its controller, where nothing waits for the next pod of that. */
  readonly controller?: string
  /** How many pods of its workload were Ready with it, where more than were recorded: they came to be Ready only then. */
  readonly ready?: number
  /** Its volumes. Absent: it had none. */
  readonly volumes?: readonly string[]
}

export function noEvidence(node: string, startedAt: WallMs): Evidence {
  return {
    node,
    startedAt,
    detached: {},
    noticing: {},
    connectionsEnded: {},
    purgedAt: {},
    emptiedAt: {},
    putBackAt: {},
    setOut: {},
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

import type { MonoMs, WallMs } from '../../ground/model/time.ts'
import type { Brake } from '../decide/brake.ts'
import type { AgentDecision } from '../decide/decide.ts'
import type { KeptClaims } from '../model/kept-claims.ts'
import type { AnsweredIngress } from './ingress-watch.ts'
import type { Polls } from './poll-log.ts'

/** The present status of an agent. */
export interface AgentStatus {
  readonly node: string
  readonly now: MonoMs
  readonly wall: WallMs
  readonly decision: AgentDecision
  /** Since when the answer is the present one. */
  readonly since: MonoMs
  /** The API has sent the node since this process began. */
  readonly heard: boolean
  /** It is known whether there is a claim on the disk. */
  readonly isKeptKnown: boolean
  /** This process has found its data port open or closed, if it has to check one: a remembered state may be of another port. */
  readonly isDataPortAsked: boolean
  /** For how long the API server cannot be followed; absent while it can. */
  readonly unheardForMs?: number
  readonly kept?: KeptClaims
  /** Ids of the claims that the agent answers by and that are on the disk. */
  readonly acknowledged: readonly string[]
  /** Whether the brake of the fleet lets a cordon count. */
  readonly brake: Brake
  readonly dataPort?: 'open' | 'closed'
  /** The time since its files were last read. */
  readonly filesReadAgoMs: number
  /** What could not be read or written, for people. */
  readonly trouble: readonly string[]
  readonly polls: readonly Polls[]
  /** Absent: the agent answers for no IngressDaemonSet. */
  readonly ingress?: AnsweredStatus
}

/** The status of the node's IngressDaemonSets. */
interface AnsweredStatus {
  /** The API server has sent them since this process began. */
  readonly heard: boolean
  readonly answered: readonly AnsweredIngress[]
  readonly isOpen: (port: number) => boolean
  /** Faults of one of them or of a port, for people. */
  readonly trouble: readonly string[]
}

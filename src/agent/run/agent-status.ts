import type { MonoMs, WallMs } from '../../ground/model/time.ts'
import type { Brake } from '../decide/brake.ts'
import type { AgentDecision } from '../decide/decide.ts'
import type { KeptClaims } from '../model/kept-claims.ts'
import type { AnsweredIngress } from './ingress-watch.ts'
import type { Polls } from './poll-log.ts'

/** What there is to tell of an agent, as of now. */
export interface AgentStatus {
  readonly node: string
  readonly now: MonoMs
  readonly wall: WallMs
  readonly decision: AgentDecision
  /** Of the answer. */
  readonly since: MonoMs
  /** The API told of the node since this process began. */
  readonly heard: boolean
  /** Whether there is a claim on the disk is known. */
  readonly isKeptKnown: boolean
  /** This process has found its data port open or closed, if it is to ask one: what is remembered may be of another port. */
  readonly isDataPortAsked: boolean
  /** The API server cannot be followed since so long; absent while it is. */
  readonly unheardForMs?: number
  readonly kept?: KeptClaims
  /** Ids of the claims that the answer goes by and that are on the disk. */
  readonly acknowledged: readonly string[]
  /** Whether the brake of the fleet lets a cordon count. */
  readonly brake: Brake
  readonly dataPort?: 'open' | 'closed'
  /** Since the last pass looked at its files. */
  readonly filesReadAgoMs: number
  /** What could not be read or written, for people. */
  readonly trouble: readonly string[]
  readonly polls: readonly Polls[]
  /** Absent: the agent answers for no IngressDaemonSet. */
  readonly ingress?: AnsweredStatus
}

/** What there is to tell of the IngressDaemonSets of the node. */
interface AnsweredStatus {
  /** The API server told of them since this process began. */
  readonly heard: boolean
  readonly answered: readonly AnsweredIngress[]
  readonly isOpen: (port: number) => boolean
  /** What is wrong with one of them or with a port, for people. */
  readonly trouble: readonly string[]
}

import type { MonoMs } from '../../ground/model/time.ts'
import type { Answer } from '../../service/model/answer.ts'
import type { KeptClaims } from '../model/kept-claims.ts'
import type { AgentEvidence } from './evidence.ts'

/** What the agent was told to do; see docs/agent.md for each. */
export interface AgentSpec {
  /** How long a cordon is borne before it counts. */
  readonly cordonGraceMs: number
  /** How long nothing must stand against the node until it is `up` again. */
  readonly upDelayMs: number
  /** How long `drain` is said before it becomes `down`; absent: as long as it takes. */
  readonly drainLimitMs?: number
  /** Whether the node's data port is asked. */
  readonly hasDataPort: boolean
  /** What is said once the API server was not heard for so long; absent: what was said last, for ever. */
  readonly stale?: { readonly afterMs: number; readonly answer: 'up' | 'down' }
}

/** All that an answer goes by, read before it is given. */
export interface AgentSnapshot {
  /** Of the machine's monotonic clock, which goes on over a restart of the process. */
  readonly now: MonoMs
  readonly spec: AgentSpec
  readonly evidence: AgentEvidence
  /** Whether the API told of the node since this process began. */
  readonly heard: boolean
  /** Since when the API server cannot be followed; absent while it is. */
  readonly unheardSince?: MonoMs
  /** What a person put into the override file. */
  readonly override?: { readonly answer: Answer; readonly why: string }
  /** The claims that are on the node's disk. */
  readonly kept?: KeptClaims
}

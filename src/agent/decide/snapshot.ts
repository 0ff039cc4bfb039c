import type { MonoMs } from '../../ground/model/time.ts'
import type { Answer } from '../../service/model/answer.ts'
import type { KeptClaims } from '../model/kept-claims.ts'
import type { AgentEvidence } from './evidence.ts'

/** The options of the agent; see docs/agent.md for each. */
export interface AgentSpec {
  /** How long a cordon is ignored before it counts. */
  readonly cordonGraceMs: number
  /** How long the node must be clear before the answer is `up` again. */
  readonly upDelayMs: number
  /** How long the answer is `drain` before it becomes `down`; absent: without limit. */
  readonly drainLimitMs?: number
  /** Whether the agent checks the node's data port. */
  readonly hasDataPort: boolean
  /** The answer once the API server was away for so long; absent: the last answer, without limit. */
  readonly stale?: { readonly afterMs: number; readonly answer: 'up' | 'down' }
}

/** The input of an answer. */
export interface AgentSnapshot {
  /** The machine's monotonic clock, which continues over a restart of the process. */
  readonly now: MonoMs
  readonly spec: AgentSpec
  readonly evidence: AgentEvidence
  /** Whether the API was read for this node since this process began. */
  readonly heard: boolean
  /** Since when the API server cannot be followed; absent while it can. */
  readonly unheardSince?: MonoMs
  /** What a person wrote into the override file. */
  readonly override?: { readonly answer: Answer; readonly why: string }
  /** The claims on the node's disk. */
  readonly kept?: KeptClaims
}

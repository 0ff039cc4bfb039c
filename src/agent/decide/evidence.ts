import type { NodeReading } from '../../ground/model/node-reading.ts'
import type { MonoMs } from '../../ground/model/time.ts'
import type { Answer } from '../../service/model/answer.ts'
import type { OwedReady } from './agent-check-line.ts'
import type { Brake } from './brake.ts'

/** What was seen so far and cannot be seen again. It survives a restart of the agent on tmpfs. */
export interface AgentEvidence {
  /** The last reading of the Node: `gone` if the API has no such Node. Absent: it was never read. */
  readonly node?: NodeReading | 'gone'
  /** Since when the node is cordoned; absent while it is not. */
  readonly cordonedSince?: MonoMs
  /** The last known state of the brake; absent: not read since the machine booted. */
  readonly brake?: Brake
  /** The present cordon was a reason to leave. */
  readonly cordonCounts?: true
  /** Since when the node is to leave. */
  readonly leavingSince?: MonoMs
  /** Since when no reason to leave exists. */
  readonly clearSince?: MonoMs
  /** The data port after its own rise and fall; absent: not checked often enough yet. */
  readonly dataPort?: 'open' | 'closed'
  /** The addresses whose agent-check got `drain` and that still have to receive its end. */
  readonly owed?: OwedReady
  /** The last answer, and since when. */
  readonly answer: Answer
  readonly since: MonoMs
}

/** The evidence before anything was seen: a node is out until it is known to be in. */
export const noEvidence = (now: MonoMs): AgentEvidence => ({ answer: 'down', since: now })

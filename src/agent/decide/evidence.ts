import type { NodeFacts } from '../../ground/model/node-facts.ts'
import type { MonoMs } from '../../ground/model/time.ts'
import type { Answer } from '../../service/model/answer.ts'
import type { OwedReady } from './agent-check-line.ts'
import type { Brake } from './brake.ts'

/** What was seen so far and cannot be seen again. It lives on tmpfs over a restart of the agent. */
export interface AgentEvidence {
  /** As the API told last: `gone` where it knows no such node. Absent: it never told. */
  readonly node?: NodeFacts | 'gone'
  /** Since when it is cordoned; what was observed has none while it is not. */
  readonly cordonedSince?: MonoMs
  /** As seen last; absent: not seen since the machine booted. */
  readonly brake?: Brake
  /** The cordon that there is was reason to leave. */
  readonly cordonCounts?: true
  /** Since when the node is to leave. */
  readonly leavingSince?: MonoMs
  /** Since when nothing stands against it. */
  readonly clearSince?: MonoMs
  /** The data port by its own rise and fall; absent: not asked often enough yet. */
  readonly dataPort?: 'open' | 'closed'
  /** The addresses to which an agent-check answered drain, and which still have to hear that the drain is over. */
  readonly owed?: OwedReady
  /** What was said last, and since when. */
  readonly answer: Answer
  readonly since: MonoMs
}

/** Before anything was seen: a node is out until it is known to be in. */
export const noEvidence = (now: MonoMs): AgentEvidence => ({ answer: 'down', since: now })

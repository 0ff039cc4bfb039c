import type { Answer } from '../../service/model/answer.ts'

/** Another agent of the node that listens at the port this one needs. */
export interface AgentBeside {
  /** Its answer, if it could be read. */
  readonly answer?: Answer
  /** A process listens there that does not say what it is. It may not be an agent. */
  readonly silentPort?: number
}

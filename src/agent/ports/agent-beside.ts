import type { Answer } from '../../service/model/answer.ts'

/** Another agent of the node, which listens where one that begins is to. */
export interface AgentBeside {
  /** What it answers, where that could be read. */
  readonly answer?: Answer
  /** A process listens there that does not say what it is, and may not be an agent. */
  readonly silentPort?: number
}

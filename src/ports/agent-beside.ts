import type { Answer } from '../model/answer.ts'

/** Another agent of the node, which listens where one that begins is to. */
export interface AgentBeside {
  /** What it answers, where that could be read. */
  readonly answer?: Answer
  /** Listened at by whoever does not say who it is, and may be no agent. */
  readonly silentPort?: number
}

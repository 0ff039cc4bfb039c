import type { GateAnswer, GateSpec } from '../model/gate-spec.ts'

/** The node that a question of the operator is about, or the machine of a load balancer. */
export interface NodePlace {
  readonly node: string
  /** For a machine its host as ssh takes it. Absent: the node has no internal address. */
  readonly address?: string
}

export interface GateSource {
  /** Rejects only with the signal's reason; any other failure is an answer. */
  ask(gate: GateSpec, place: NodePlace, signal: AbortSignal): Promise<GateAnswer>
}

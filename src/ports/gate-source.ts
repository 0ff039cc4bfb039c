import type { GateAnswer, GateSpec } from '../model/gate-spec.ts'

/** The node that a question of the operator is about. */
export interface NodePlace {
  readonly node: string
  /** Absent: the node has no internal address. */
  readonly address?: string
}

export interface GateSource {
  /** Rejects with the signal's reason alone; whatever else happens is an answer. */
  ask(gate: GateSpec, place: NodePlace, signal: AbortSignal): Promise<GateAnswer>
}

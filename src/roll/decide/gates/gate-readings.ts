import type { MonoMs } from '../../../ground/model/time.ts'
import type { GateAnswer, GateMoment } from '../../model/gate-spec.ts'

export interface GateReading extends GateAnswer {
  readonly begunAt: MonoMs
  readonly endedAt: MonoMs
}

/** The answers of gates to this process. A pass never asks: gates are asked beside the passes. */
export interface GateReadings {
  /**
   * The node or machine, and the moment, that the gates were asked for; answers for others do not count. Absent: they were not
   * asked.
   */
  readonly about?: { readonly node: string; readonly moment: GateMoment }
  /** Name of a gate → its newest answers, the newest last. */
  readonly readings: Readonly<Record<string, readonly GateReading[]>>
}

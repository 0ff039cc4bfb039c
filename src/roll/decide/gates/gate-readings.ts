import type { MonoMs } from '../../../ground/model/time.ts'
import type { GateAnswer, GateMoment } from '../../model/gate-spec.ts'

export interface GateReading extends GateAnswer {
  readonly begunAt: MonoMs
  readonly endedAt: MonoMs
}

/** What this process knows of the gates. A pass never asks: they are asked beside it. */
export interface GateReadings {
  /** Which node or machine they were asked for; answers for another one or another moment do not count. Absent: they were not asked. */
  readonly about?: { readonly node: string; readonly moment: GateMoment }
  /** Name of a gate → its newest answers, the newest last. */
  readonly readings: Readonly<Record<string, readonly GateReading[]>>
}

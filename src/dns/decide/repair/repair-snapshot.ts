import type { ObjectRef } from '../../../ground/model/object-ref.ts'
import type { RepairReading } from '../../model/repair-reading.ts'
import type { CauseCode } from '../causes.ts'
import type { DnsFinding } from '../diagnosis/finding.ts'
import type { DnsScene, ScenePod } from '../scene.ts'

/** The input of the decision about a repair: the scene, its findings, what the API says, and earlier repairs. */
export interface RepairSnapshot extends RepairReading {
  readonly scene: DnsScene
  readonly findings: readonly DnsFinding[]
  /** The number of rounds that agree. */
  readonly rounds: 1 | 2
  readonly past: readonly PastRepair[]
  /** The ConfigMap with the earlier repairs. */
  readonly memory: ObjectRef
  readonly wallMs: number
}

export interface PastRepair {
  /** ISO 8601. */
  readonly at: string
  readonly pod: string
  /** `begun`: its process ended before the outcome was known. */
  readonly outcome: 'begun' | 'cured' | 'notCured'
}

export interface SickPod {
  readonly pod: ScenePod
  /** Its own ailment. */
  readonly code: CauseCode
}

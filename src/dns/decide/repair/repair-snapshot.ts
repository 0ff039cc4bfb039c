import type { ObjectRef } from '../../../ground/model/object-ref.ts'
import type { RepairReading } from '../../model/repair-reading.ts'
import type { CauseCode } from '../causes.ts'
import type { Finding } from '../diagnosis/finding.ts'
import type { DnsScene, ScenePod } from '../scene.ts'

/** What a repair is decided from: what was asked of DNS, what the API says around it, and the repairs before this one. */
export interface RepairSnapshot extends RepairReading {
  readonly scene: DnsScene
  readonly findings: readonly Finding[]
  /** Rounds that said so. */
  readonly rounds: 1 | 2
  readonly past: readonly PastRepair[]
  /** The ConfigMap that remembers them. */
  readonly memory: ObjectRef
  readonly wallMs: number
}

export interface PastRepair {
  /** ISO 8601. */
  readonly at: string
  readonly pod: string
  /** `begun`: how it ended is not known, since its process was. */
  readonly outcome: 'begun' | 'cured' | 'notCured'
}

export interface SickPod {
  readonly pod: ScenePod
  /** Its own ailment. */
  readonly code: CauseCode
}

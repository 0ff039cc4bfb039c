import type { WallMs } from '../../model/time.ts'

/** A pod of a NodeGuard. */
export interface GuardPod {
  readonly namespace: string
  readonly name: string
  readonly uid: string
  readonly resourceVersion: string
  readonly labels: Readonly<Record<string, string>>
  /** Of the NodeGuard. */
  readonly guardUid: string
  /** Absent while it is not placed. */
  readonly nodeName?: string
  readonly isReady: boolean
  /** When it became ready, by the clock of its node. */
  readonly readySince?: WallMs
  /** It has a deletion timestamp. */
  readonly isLeaving: boolean
  /** How long it may take to end, where it is leaving. */
  readonly graceMs?: number
  readonly isFinished: boolean
}

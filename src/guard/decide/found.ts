import type { WallMs } from '../../ground/model/time.ts'

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
  /** Of one that was deleted and resists: it was ready when it was deleted. */
  readonly isReady: boolean
  /** When it became ready, by the clock of its node. */
  readonly readySince?: WallMs
  /** It has a deletion timestamp. */
  readonly deleting: boolean
  /** It has a finalizer of ours, so that it stays until that is removed. */
  readonly isLocked: boolean
  /** Those of others. */
  readonly finalizers: readonly string[]
  /** Its containers have ended, and nothing of ours holds it. */
  readonly isFinished: boolean
  /** Why a container of it does not start, as its kubelet says, such as an image that cannot be pulled. */
  readonly waiting?: string
}

import type { AskedDetacher } from '../../service/decide/detach-holders.ts'
import type { NodeEffect } from '../../service/model/node-effect.ts'
import type { IngressOp } from './op.ts'
import type { Rejection } from './rejection.ts'

interface Mark {
  readonly key: string
  readonly value: string
}

/**
 * One write each. It is done under the version of the object that was read, so that of two leaders, or by a cache that is
 * behind, nothing is done twice.
 */
export type NodeAction = NodeEffect | OwnNodeAction

type OwnNodeAction = {
  readonly node: string
} /** With the operation and the mark on it from the first moment. */ & (
  | { readonly kind: 'createDeployment'; readonly revision: string; readonly op: IngressOp; readonly mark: Mark }
  | { readonly kind: 'deleteDeployment' }
  /**
   * On the Deployment; `mark`: set in the same write. It removes the note that an earlier one was given up. `isRetry`: the wish of a
   * person to try it again is met with it, and goes.
   */
  | { readonly kind: 'writeOp'; readonly op: IngressOp; readonly mark?: Mark; readonly isRetry?: true }
  /** `gaveUp`: the revision that is not tried again here is noted in the same write; absent: such a note goes. */
  | { readonly kind: 'clearOp'; readonly gaveUp?: string }
  | { readonly kind: 'unmarkDeployment'; readonly key: string }
  /** This owner is added to the owners that hold the mark; `asked`: the mark itself is set in the same write. */
  | ({ readonly kind: 'markNode'; readonly owner: string; readonly asked?: AskedDetacher } & Mark)
  | { readonly kind: 'unmarkNode'; readonly owner: string; readonly key: string; readonly removesKey: boolean }
  /** `atOnce`: all pods are replaced at once. The note that pods were rejected goes in the same write. */
  | {
      readonly kind: 'applyTemplate'
      readonly revision: string
      readonly replicas: number
      readonly atOnce: boolean
    }
  /** `rejected`: what is noted in the same write; absent: such a note goes. */
  | { readonly kind: 'scale'; readonly replicas: number; readonly rejected?: Rejection }
  | { readonly kind: 'setGate'; readonly isOpen: boolean }
)

export type IngressAction =
  | NodeAction
  /** Noted in the status before anything is rolled back. */
  | { readonly kind: 'rejectRevision'; readonly revision: string; readonly backTo: string; readonly at: string }
  | { readonly kind: 'removeFinalizer' }

import type { AskedDetacher } from '../../service/decide/detach-holders.ts'
import type { NodeEffect } from '../../service/model/node-effect.ts'
import type { IngressOp } from './op.ts'
import type { Rejection } from './rejection.ts'

interface Mark {
  readonly key: string
  readonly value: string
}

/** Each action is one write. The write names the version of the object that was read, so two leaders, or a late cache, do nothing twice. */
export type NodeAction = NodeEffect | OwnNodeAction

type OwnNodeAction = {
  readonly node: string
} /** With the operation and the mark on it from the first moment. */ & (
  | { readonly kind: 'createDeployment'; readonly revision: string; readonly op: IngressOp; readonly mark: Mark }
  | { readonly kind: 'deleteDeployment' }
  /**
   * Writes the operation on the Deployment. `mark`: set in the same write. The write removes the note that an earlier update was given up.
   * `isRetry`: it also removes the request of a person to try again.
   */
  | { readonly kind: 'writeOp'; readonly op: IngressOp; readonly mark?: Mark; readonly isRetry?: true }
  /** `gaveUp`: the write also notes this revision, which is not tried again on the node. Absent: the write removes such a note. */
  | { readonly kind: 'clearOp'; readonly gaveUp?: string }
  | { readonly kind: 'unmarkDeployment'; readonly key: string }
  /** Notes the uid of the Node that the Deployment is for. */
  | { readonly kind: 'noteNode'; readonly uid: string }
  /** Adds this owner to the holders of the mark. `asked`: the write also sets the mark. */
  | ({ readonly kind: 'markNode'; readonly owner: string; readonly asked?: AskedDetacher } & Mark)
  | { readonly kind: 'unmarkNode'; readonly owner: string; readonly key: string; readonly removesKey: boolean }
  /** `atOnce`: all pods are replaced at once. The write removes the note that pods were rejected. */
  | {
      readonly kind: 'applyTemplate'
      readonly revision: string
      readonly replicas: number
      readonly atOnce: boolean
    }
  /** `rejected`: the write also notes this rejection. Absent: the write removes such a note. */
  | { readonly kind: 'scale'; readonly replicas: number; readonly rejected?: Rejection }
  | { readonly kind: 'setGate'; readonly isOpen: boolean }
)

export type IngressAction =
  | NodeAction
  /** Notes the failed revision in the status, before the rollback begins. */
  | { readonly kind: 'rejectRevision'; readonly revision: string; readonly backTo: string; readonly at: string }
  | { readonly kind: 'removeFinalizer' }

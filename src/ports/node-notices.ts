import type { NodeNotice } from '../model/node-notice.ts'

export interface NodeNotices {
  /** Rejects with WorldError (code KUBE_*), or with the signal's reason. */
  tell(notice: NodeNotice, signal: AbortSignal): Promise<void>
}

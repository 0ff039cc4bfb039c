import type { ObjectNotice } from '../model/object-notice.ts'

export interface ObjectNotices {
  /** Rejects with WorldError (code KUBE_*), or with the signal's reason. */
  tell(notice: ObjectNotice, signal: AbortSignal): Promise<void>
}

import type { Reason } from '../../ground/model/reason.ts'

/** What people who look at a Node are told by an Event: `kubectl describe node` shows it. */
export interface NodeNotice {
  readonly node: string
  readonly uid: string
  readonly reason: Reason
}

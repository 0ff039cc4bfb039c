import type { Reason } from '../../ground/model/reason.ts'

/** An Event on a Node for people: `kubectl describe node` shows it. */
export interface NodeNotice {
  readonly node: string
  readonly uid: string
  readonly reason: Reason
}

import type { Reason } from './reason.ts'

/** What people who look at an object are told by an Event: `kubectl describe` shows it. */
export interface ObjectNotice {
  /** Of the object; `v1` where it is left out. */
  readonly apiVersion?: string
  readonly kind: string
  /** Left out for an object of a kind without namespaces. */
  readonly namespace?: string
  readonly name: string
  readonly uid: string
  readonly type: 'Normal' | 'Warning'
  readonly reason: Pick<Reason, 'code' | 'text'>
}

import type { ObjectRef } from './object-ref.ts'
import type { Reason } from './reason.ts'

/** What people who look at a Service or a Pod are told by an Event: `kubectl describe` shows it. */
export interface ObjectNotice extends ObjectRef {
  readonly kind: 'Service' | 'Pod'
  readonly uid: string
  readonly type: 'Normal' | 'Warning'
  readonly reason: Pick<Reason, 'code' | 'text'>
}

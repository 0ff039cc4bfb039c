import type { ObjectRef } from './object-ref.ts'

/** What people who look at a Service or a Pod are told by an Event: `kubectl describe` shows it. */
export interface ObjectNotice extends ObjectRef {
  readonly kind: 'Service' | 'Pod'
  readonly uid: string
  readonly type: 'Normal' | 'Warning'
  /** Its code is of the catalogue of what DNS may be ill of, or names what was done. */
  readonly reason: { readonly code: string; readonly text: string }
}

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
  /** Its code is of the catalogue of what DNS may be ill of, or names what was done. */
  readonly reason: { readonly code: string; readonly text: string }
}

/** A text in an Event, for people who look at an object: `kubectl describe` shows it. */
export interface ObjectNotice {
  /** That of the object; absent: `v1`. */
  readonly apiVersion?: string
  readonly kind: string
  /** Absent for a kind without namespaces. */
  readonly namespace?: string
  readonly name: string
  readonly uid: string
  readonly type: 'Normal' | 'Warning'
  /** Its code is in the catalogue of faults of DNS, or names what was done. */
  readonly reason: { readonly code: string; readonly text: string }
}

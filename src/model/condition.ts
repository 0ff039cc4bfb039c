/** metav1.Condition. */
export interface Condition {
  readonly type: string
  /** `True`, `False` or `Unknown`. */
  readonly status: string
  /** PascalCase. */
  readonly reason: string
  readonly message: string
  /** ISO 8601: when `status` changed. */
  readonly lastTransitionTime: string
  /** The generation of the object that it was said of, where the object has one. */
  readonly observedGeneration?: number
}

/** What is wrong with an object, or a warning for the person who wrote it. */
export interface Finding {
  /** In camelCase, the same for the same cause. */
  readonly rule: string
  /** In the API server's form: `spec.healthCheckNodePorts[1]`. */
  readonly field: string
  /** An object with an error is refused; a warning is only shown. */
  readonly severity: 'error' | 'warning'
  /** One sentence without a full stop. */
  readonly message: string
  readonly fix: string
}

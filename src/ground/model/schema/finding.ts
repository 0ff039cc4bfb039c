/** What is wrong with an object, or worth a word to the person who wrote it. */
export interface Finding {
  /** In camelCase, the same for the same cause. */
  readonly rule: string
  /** As the API server writes it: `spec.healthCheckNodePorts[1]`. */
  readonly field: string
  /** An object with an error is refused; a warning is only said. */
  readonly severity: 'error' | 'warning'
  /** One sentence without a full stop. */
  readonly message: string
  readonly fix: string
}

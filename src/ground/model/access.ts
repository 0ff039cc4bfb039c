/** One thing an identity wants to do; `group` is empty for the core API. */
export interface Access {
  readonly verb: string
  readonly group: string
  readonly resource: string
  readonly subresource?: string
  readonly namespace?: string
  /** One object alone. */
  readonly name?: string
}

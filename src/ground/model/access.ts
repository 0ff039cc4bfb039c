/** A right that an identity needs; `group` is empty for the core API. */
export interface Access {
  readonly verb: string
  readonly group: string
  readonly resource: string
  readonly subresource?: string
  readonly namespace?: string
  /** The right is for one object only. */
  readonly name?: string
}

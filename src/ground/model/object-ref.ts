export interface ObjectRef {
  readonly namespace: string
  readonly name: string
}

/** `namespace/name`: the form in texts, the journal and the record. */
export const refKey = (ref: ObjectRef): string => `${ref.namespace}/${ref.name}`

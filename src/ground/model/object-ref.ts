export interface ObjectRef {
  readonly namespace: string
  readonly name: string
}

/** `namespace/name`, as the terminal, the journal and the record write it. */
export const refKey = (ref: ObjectRef): string => `${ref.namespace}/${ref.name}`

/** The owner of an object, and whether the object is deleted with its owner (API conventions, "Metadata"). */
export interface OwnerReference {
  readonly apiVersion: string
  readonly kind: string
  readonly name: string
  readonly uid: string
  readonly controller?: boolean
  readonly blockOwnerDeletion?: boolean
}

/** Times are RFC 3339 with whole seconds, as the API writes them. */
export interface ObjectMeta {
  readonly name: string
  readonly generateName?: string
  /** Absent where the kind has no namespaces. */
  readonly namespace?: string
  readonly uid: string
  /** Of the whole store when this was written, so a greater one is later whatever the kind. */
  readonly resourceVersion: string
  /** Counts changes of `spec`; absent on kinds that do not count them. */
  readonly generation?: number
  readonly creationTimestamp: string
  /** When a deletion that was asked for is due; the object stays until its grace is over and its finalizers are gone. */
  readonly deletionTimestamp?: string
  readonly deletionGracePeriodSeconds?: number
  readonly finalizers?: readonly string[]
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
  readonly ownerReferences?: readonly OwnerReference[]
}

/** An object as the store holds it: never changed in place, only replaced by another. */
export interface ApiObject {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: ObjectMeta
  readonly [field: string]: unknown
}

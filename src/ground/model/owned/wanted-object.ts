type Words = Readonly<Record<string, string>>

/** An object as it is to be, without apiVersion and kind; the namespace is that of its owner. */
export type WantedObject = Readonly<Record<string, unknown>> & { readonly metadata: WantedMetadata }

// A type and not an interface: the latter would not be a record of anything.
type WantedMetadata = Readonly<Record<string, unknown>> & {
  readonly name: string
  readonly labels: Words
  readonly annotations: Words
  readonly ownerReferences: readonly [OwnerReference]
}

type OwnerReference = Readonly<Record<string, unknown>> & { readonly uid: string }

export interface Marks {
  readonly name: string
  readonly labels?: Words
  readonly annotations?: Words
}

/** Its owner: an object of ours. */
interface Owner {
  readonly apiVersion: string
  readonly kind: string
  readonly name: string
  readonly uid: string
}

/** Owned by UID: a successor of the same name owns nothing of it, and the garbage collector knows them apart. */
export const ownedMetadata = (
  { apiVersion, kind, name: owner, uid }: Owner,
  { name, labels = {}, annotations = {} }: Marks,
): WantedMetadata => ({
  ...{ name, labels, annotations },
  ownerReferences: [{ apiVersion, kind, name: owner, uid, controller: true, blockOwnerDeletion: true }],
})

import type { IngressDaemonSet } from '../../model/ingress-daemon-set.ts'
import { INGRESS_LABEL, INGRESS_UID_LABEL } from '../../model/ingress-keys.ts'

type Words = Readonly<Record<string, string>>

/** An object as it is to be, without apiVersion and kind; the namespace is that of its IngressDaemonSet. */
export type WantedObject = Readonly<Record<string, unknown>> & { readonly metadata: WantedMetadata }

// A type and not an interface: the latter would not be a record of anything.
type WantedMetadata = Readonly<Record<string, unknown>> & {
  readonly name: string
  readonly labels: Words
  readonly annotations: Words
  readonly ownerReferences: readonly [OwnerReference]
}

type OwnerReference = Readonly<Record<string, unknown>> & { readonly uid: string }

interface Marks {
  readonly name: string
  readonly labels?: Words
  readonly annotations?: Words
}

/** Owned by UID: a successor of the same name owns nothing of it, and the garbage collector knows them apart. */
export const wantedMetadata = (ids: IngressDaemonSet, { name, labels, annotations }: Marks): WantedMetadata => ({
  name,
  labels: { ...labels, [INGRESS_LABEL]: ids.name, [INGRESS_UID_LABEL]: ids.uid },
  annotations: annotations ?? {},
  ownerReferences: [
    {
      apiVersion: `${ids.group}/v1alpha1`,
      kind: 'IngressDaemonSet',
      name: ids.name,
      uid: ids.uid,
      controller: true,
      blockOwnerDeletion: true,
    },
  ],
})

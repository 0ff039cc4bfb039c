import type { IngressDaemonSet } from '../../model/ingress-daemon-set.ts'
import { INGRESS_LABEL, INGRESS_UID_LABEL } from '../../model/ingress-keys.ts'
import { type Marks, ownedMetadata, type WantedObject } from '../owned/wanted-object.ts'

/** Of an object that belongs to that IngressDaemonSet. */
export const wantedMetadata = (
  { group, name: of, uid }: IngressDaemonSet,
  { name, labels, annotations = {} }: Marks,
): WantedObject['metadata'] =>
  ownedMetadata(
    { apiVersion: `${group}/v1alpha1`, kind: 'IngressDaemonSet', name: of, uid },
    { name, labels: { ...labels, [INGRESS_LABEL]: of, [INGRESS_UID_LABEL]: uid }, annotations },
  )

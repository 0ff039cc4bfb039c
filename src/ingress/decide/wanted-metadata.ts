import { INGRESS_LABEL, INGRESS_UID_LABEL } from '../../ground/model/ingress-keys.ts'
import { type Marks, ownedMetadata, type WantedObject } from '../../ground/model/owned/wanted-object.ts'
import type { IngressDaemonSet } from '../model/ingress-daemon-set.ts'

/** Of an object that belongs to that IngressDaemonSet. */
export const wantedMetadata = (
  { group, name: of, uid }: IngressDaemonSet,
  { name, labels, annotations = {} }: Marks,
): WantedObject['metadata'] =>
  ownedMetadata(
    { apiVersion: `${group}/v1alpha1`, kind: 'IngressDaemonSet', name: of, uid },
    { name, labels: { ...labels, [INGRESS_LABEL]: of, [INGRESS_UID_LABEL]: uid }, annotations },
  )

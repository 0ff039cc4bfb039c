import type { NodeIdentity } from '../../ground/model/owned/node-names.ts'
import type { WantedObject } from '../../ground/model/owned/wanted-object.ts'
import { NODE_ANNOTATION } from '../../ground/model/slot.ts'
import type { IngressDaemonSet } from '../model/ingress-daemon-set.ts'
import { nodeMark } from './names.ts'
import { wantedMetadata } from './wanted-metadata.ts'

/**
 * The PodDisruptionBudget of a node: `closed`, evictions are refused, so that a drain waits; `open`, every pod of the node
 * may go. One for each pod and no more: with two, an eviction is answered with 500.
 */
export const wantedGate = (ids: IngressDaemonSet, identity: NodeIdentity, gate: 'closed' | 'open'): WantedObject => ({
  metadata: wantedMetadata(ids, {
    name: identity.name,
    labels: nodeMark(identity),
    annotations: { [NODE_ANNOTATION]: identity.node },
  }),
  spec: {
    selector: { matchLabels: identity.selector },
    ...(gate === 'closed' ? { maxUnavailable: 0 } : OPEN),
  },
})

/** By default a budget counts healthy pods alone, and refuses the eviction of a running pod where none is. */
const OPEN = { maxUnavailable: '100%', unhealthyPodEvictionPolicy: 'AlwaysAllow' }

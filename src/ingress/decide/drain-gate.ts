import type { NodeIdentity } from '../../ground/model/owned/node-names.ts'
import type { WantedObject } from '../../ground/model/owned/wanted-object.ts'
import { NODE_ANNOTATION } from '../../ground/model/slot.ts'
import type { IngressDaemonSet } from '../model/ingress-daemon-set.ts'
import { nodeMark } from './names.ts'
import { wantedMetadata } from './wanted-metadata.ts'

/**
 * The PodDisruptionBudget of a node. `closed`: evictions are refused, so a drain waits. `open`: every pod of the node may go. No pod may
 * have two budgets, since then its eviction fails with 500.
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

/** By default a budget counts only healthy pods, and refuses the eviction of a running pod if none is healthy. */
const OPEN = { maxUnavailable: '100%', unhealthyPodEvictionPolicy: 'AlwaysAllow' }

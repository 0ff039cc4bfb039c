import { gatePatch } from '../../ground/model/owned/difference.ts'
import type { NodeIdentity } from '../../ground/model/owned/node-names.ts'
import type { WantedObject } from '../../ground/model/owned/wanted-object.ts'
import type { OwnedObject } from '../../ground/model/owned-object.ts'
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

/** A gate is what it selects and allows. One that others have changed in that is neither open nor closed, so it is written again. */
export function gateState(
  ids: IngressDaemonSet,
  identity: NodeIdentity,
  gate: OwnedObject,
): 'absent' | 'open' | 'closed' {
  const isIn = (state: 'open' | 'closed'): boolean => {
    const { spec = {} } = gatePatch(gate, wantedGate(ids, identity, state)) ?? {}
    // A policy of the cluster may set this one back each time, and no node would ever be updated.
    return Object.keys(spec as object).every((key) => key === 'unhealthyPodEvictionPolicy')
  }
  return isIn('closed') ? 'closed' : isIn('open') ? 'open' : 'absent'
}

/** By default a budget counts only healthy pods, and refuses the eviction of a running pod if none is healthy. */
const OPEN = { maxUnavailable: '100%', unhealthyPodEvictionPolicy: 'AlwaysAllow' }

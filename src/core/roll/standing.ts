import type { NodeStanding } from '../../model/roll-event.ts'
import type { Step } from '../../model/step.ts'
import { isDetached } from './match-node-servers.ts'
import { hasRebooted, type NodeSnapshot, ownIntent, ownRecord } from './node-snapshot.ts'

/** Where a node stands, from the world as last read: what is told at an end is the cluster's state, not ours. */
export function standing(s: NodeSnapshot, step: Step | undefined, failedRequests: number): NodeStanding {
  const { node } = s.current
  const detached = isDetached(node, s.instances)
  const facts = {
    node: node.name,
    cordoned: node.unschedulable,
    detached,
    podsMoved: Object.keys(s.evidence.evicted).length,
    failedRequests,
    ...(step === undefined ? {} : { step }),
  }
  const cordon = node.unschedulable ? 'cordoned' : 'uncordoned'
  const balancers = detached ? 'detached' : 'attached'
  const record = ownRecord(s)
  if (record === undefined) {
    const done = s.evidence.attachedAt !== undefined
    if (!done) return { ...facts, state: 'notTouched', text: 'not touched' }
    const restored = s.run.verdict !== undefined && s.evidence.returned === undefined
    return restored
      ? { ...facts, state: 'restored', text: 'restored as it was' }
      : { ...facts, state: 'inService', text: 'back in service' }
  }
  const recorded = { ...s, record }
  if (hasRebooted(recorded)) return { ...facts, state: 'out', text: `rebooted, ${cordon}, ${balancers}` }
  if (ownIntent(s) !== undefined)
    return { ...facts, state: 'out', text: `may be rebooting, ${cordon}, ${balancers}; it stays so until its proof` }
  return { ...facts, state: 'out', text: `not rebooted, ${cordon}, ${balancers}` }
}

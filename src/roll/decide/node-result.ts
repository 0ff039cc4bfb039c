import { present } from '../../ground/model/present.ts'
import { matchNodeServers } from '../../service/decide/match-node-servers.ts'
import { lostServers } from '../../service/decide/node-servers.ts'
import type { NodeResult } from '../model/roll-event.ts'
import type { Step } from '../model/step.ts'
import { isUnsent } from './blocked.ts'
import { isLeaving } from './drain/ready-pods.ts'
import { hasRebooted, type NodeSnapshot, ownIntent, ownRecord } from './node-snapshot.ts'
import { serviceOf } from './service-of.ts'

/** An eviction without an answer may not have been carried out: its pod is here, and nothing has it leave. */
const stays = (s: NodeSnapshot, uid: string): boolean =>
  s.cluster.pods.some((pod) => pod.uid === uid && !pod.terminating && !isLeaving(s, pod))

/** What became of a node, by the last reading of the cluster, and not by what this process believes. */
export function nodeResult(s: NodeSnapshot, step: Step | undefined, failedRequests: number): NodeResult {
  const { node } = s.current
  const detached = isOut(s)
  const known = {
    node: node.name,
    cordoned: node.unschedulable,
    detached,
    podsMoved: Object.keys(s.evidence.evicted).filter((uid) => !stays(s, uid)).length,
    failedRequests,
    ...present({ step }),
  }
  const cordon = node.unschedulable ? 'cordoned' : 'uncordoned'
  const balancers = detached ? 'detached' : 'attached'
  const record = ownRecord(s)
  if (record === undefined) {
    const done = s.evidence.attachedAt !== undefined
    if (!done && s.current.absent === true) return { ...known, state: 'gone', text: 'gone from the cluster, left out' }
    if (!done) return { ...known, state: 'notTouched', text: 'not touched' }
    const restored = s.run.verdict !== undefined && s.evidence.returned === undefined
    return restored
      ? { ...known, state: 'restored', text: 'restored as it was' }
      : { ...known, state: 'inService', text: 'back in service' }
  }
  if (s.current.absent === true) return { ...known, state: 'out', text: `gone from the cluster, ${balancers}` }
  const recorded = { ...s, record }
  if (hasRebooted(recorded)) return { ...known, state: 'out', text: `rebooted, ${cordon}, ${balancers}` }
  if (ownIntent(s) !== undefined && !isUnsent(s))
    return { ...known, state: 'out', text: `may be rebooting, ${cordon}, ${balancers}; it stays so until proven` }
  return { ...known, state: 'out', text: `not rebooted, ${cordon}, ${balancers}` }
}

/** For a node with another address now, the servers at its recorded address decide. */
function isOut(s: NodeSnapshot): boolean {
  const lost = lostServers(serviceOf(s))
  const readings = [
    ...matchNodeServers(s.current.node, s.instances).map(({ reading }) => reading),
    ...lost.flatMap(({ reading }) => reading ?? []),
  ]
  return readings.length > 0 && readings.every(({ adminState }) => adminState !== 'ready')
}

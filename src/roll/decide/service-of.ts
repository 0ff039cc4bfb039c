import { rollOwner } from '../../ground/model/claims.ts'
import type { Node } from '../../ground/model/node.ts'
import type { ServiceSnapshot } from '../../service/decide/service-snapshot.ts'
import { parseTimestamp } from '../../service/model/detacher.ts'
import { hasCurrent, hasRebooted, type NodeSnapshot, ownIntent, ownRecord } from './node-snapshot.ts'
import type { NodeBeside, RollSnapshot } from './snapshot.ts'
import { isBeyondRestore } from './subject.ts'

/** By the snapshot, which never changes: each step of a pass asks several times. */
const SERVICES = new WeakMap<NodeSnapshot, ServiceSnapshot>()

/** The part of a roll's snapshot that is needed to take its node out of service and to put it back. */
export function serviceOf(s: NodeSnapshot): ServiceSnapshot {
  const known = SERVICES.get(s) ?? madeOf(s)
  SERVICES.set(s, known)
  return known
}

function madeOf(s: NodeSnapshot): ServiceSnapshot {
  const { node, dataPorts } = s.current
  const record = ownRecord(s)
  const recordedAt = parseTimestamp(record?.at)
  const announced = ownIntent(s) !== undefined
  const rebooted = record !== undefined && hasRebooted({ ...s, record })
  // The cordon is removed after the proof: so a new process sees that there was a proof.
  const isUncordoned = record?.unschedulable === false && !node.unschedulable
  return {
    now: s.now,
    node,
    nodes: s.cluster.nodes,
    owner: rollOwner(s.run.id),
    balancers: s.spec.balancers,
    instances: s.instances,
    dataPorts,
    limits: { idleLimitMs: s.spec.detach.idleLimitMs, dataPort: s.spec.settle.dataPort },
    recorded: record?.servers ?? [],
    ...(recordedAt.kind === 'at' ? { recordedAt: recordedAt.at } : {}),
    evidence: s.evidence,
    announced,
    rebooted,
    unproven: rebooted ? !isUncordoned : announced,
    keepOut: s.run.verdict?.keepOut === true,
    ...besideOf(s),
  }
}

/**
 * Of two lanes at most one waits for the other, for the sake of a balancer or of the node budget: the lane that is leaving already goes
 * first; if both are leaving, or neither, one that has its slot; and of two such the one with `goesFirst`.
 */
export function goesBefore({ run, slot }: Pick<NodeSnapshot, 'run' | 'slot'>, beside: NodeBeside): boolean {
  if (beside.isLeaving !== (run.isLeaving === true)) return beside.isLeaving
  const hasSlot = beside.hasSlot === true
  return hasSlot === (slot.state === 'mine') ? beside.goesFirst : hasSlot
}

/** An earlier process of the run has cordoned the node, or gone on from there: it is leaving from the first pass of this one on. */
export function hasLeft(s: RollSnapshot): boolean {
  const record = hasCurrent(s) ? ownRecord(s) : undefined
  if (!hasCurrent(s) || record === undefined) return false
  const isCordonedByUs = s.current.node.unschedulable && !record.unschedulable
  return isCordonedByUs || isBeyondRestore(s) || Object.keys(s.evidence.setOut).length > 0
}

function besideOf(s: NodeSnapshot): { readonly beside?: readonly Node[] } {
  const leaving = s.run.beside?.filter((beside) => goesBefore(s, beside)) ?? []
  if (leaving.length === 0) return {}
  const beside = s.cluster.nodes.filter(({ name }) => leaving.some(({ node }) => node === name))
  return beside.length === 0 ? {} : { beside }
}

import { rollOwner } from '../../ground/model/claims.ts'
import type { Node } from '../../ground/model/node.ts'
import type { ServiceSnapshot } from '../../service/decide/service-snapshot.ts'
import { parseTimestamp } from '../../service/model/detacher.ts'
import { hasRebooted, type NodeSnapshot, ownIntent, ownRecord } from './node-snapshot.ts'
import type { NodeBeside, RunSnapshot } from './snapshot.ts'

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
 * first; if both are leaving, or neither, the one with `goesFirst`.
 */
export const goesBefore = (run: Pick<RunSnapshot, 'isLeaving'>, { goesFirst, isLeaving }: NodeBeside): boolean =>
  isLeaving === (run.isLeaving === true) ? goesFirst : isLeaving

function besideOf({ run, cluster }: NodeSnapshot): { readonly beside?: readonly Node[] } {
  const leaving = run.beside?.filter((beside) => goesBefore(run, beside)) ?? []
  if (leaving.length === 0) return {}
  const beside = cluster.nodes.filter(({ name }) => leaving.some(({ node }) => node === name))
  return beside.length === 0 ? {} : { beside }
}

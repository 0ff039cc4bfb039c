import { claimsOf, MAINTENANCE_ANNOTATION, rollOwner } from '../../../ground/model/claims.ts'
import type { Node } from '../../../ground/model/node.ts'
import { runOfOwner } from '../../../ground/model/slot.ts'
import type { BudgetReading } from '../../../service/decide/budget/budget-reading.ts'
import type { InstanceSnapshot } from '../../../service/decide/instance-snapshot.ts'
import { matchNodeServers } from '../../../service/decide/match-node-servers.ts'
import { isSilent } from '../../../service/decide/node-servers.ts'
import { type ServerReading, type ServerRef, serverKey } from '../../../service/model/balancer.ts'
import {
  INTENT_ANNOTATION,
  type NodeRecord,
  OUT_TAINT,
  RECORD_ANNOTATION,
  type RecordedServer,
} from '../../../service/model/node-record.ts'
import { parseNodeRecord, parseRebootIntent } from '../../../service/model/parse-node-record.ts'

interface LeftNode {
  readonly run: string
  readonly node: Node
  /** What the journal says that the node was before. */
  readonly record: NodeRecord
  readonly instances: readonly InstanceSnapshot[]
  /** Absent: nobody can be asked for the slots. */
  readonly budget?: BudgetReading
}

/**
 * Whether a node that an earlier process took out may still be out by its run: it bears the run's record, or it has lost that record
 * and something else shows it. Otherwise people have put it back, or `abort` on another machine has, and what the journal says of it is
 * over. A cordon alone shows nothing: people cordon too. Where it bears the record of another run, that run may have set all but what
 * names this one. What cannot be read may show it.
 */
export function isStillOut(left: LeftNode): boolean {
  const { run, node } = left
  const text = node.annotations[RECORD_ANNOTATION]
  if (text === undefined) return isNamed(left) || isTainted(node) || left.record.servers.some(isOut(left))
  const found = parseNodeRecord(text)
  return !found.ok || found.value.run === run || isNamed(left)
}

/** A mark on the Node, or a Lease, names this run. */
function isNamed(left: LeftNode): boolean {
  const { run, node } = left
  const intent = node.annotations[INTENT_ANNOTATION]
  const announced = intent === undefined ? undefined : parseRebootIntent(intent)
  if (announced !== undefined && (!announced.ok || announced.value.run === run)) return true
  const claims = claimsOf(node.annotations[MAINTENANCE_ANNOTATION])
  return claims.some(({ owner }) => owner === rollOwner(run)) || holdsSlot(left)
}

const isTainted = ({ taints }: Node): boolean => taints.some(({ key }) => key === OUT_TAINT.key)

/** Versions before wrote no node to the Lease. */
const holdsSlot = ({ run, node: { name }, budget }: LeftNode): boolean =>
  budget?.isUnread === true ||
  budget?.slots.some(({ owner }) => runOfOwner(owner) === run && (owner.node ?? name) === name) === true

/** It served, and does not by its own state, whatever its name is by now. */
const isOut =
  ({ node, instances, record }: LeftNode) =>
  (recorded: RecordedServer): boolean => {
    const { balancer, instance, backend, port, state } = recorded
    if (state !== 'ready') return false
    const asked = instances.filter((known) => known.balancer === balancer && known.instance === instance)
    const isIt = ({ ref, port: at }: ServerReading): boolean =>
      isCalled(recorded, ref) ||
      (ref.backend === backend && at === port && !record.servers.some((other) => isCalled(other, ref)))
    return (
      asked.some(isSilent) ||
      matchNodeServers(node, asked).some(({ reading }) => isIt(reading) && reading.ownState !== 'ready')
    )
  }

const isCalled = (recorded: RecordedServer, ref: ServerRef): boolean => serverKey(recorded) === serverKey(ref)

import type { ConditionWords } from '../../ground/model/condition.ts'
import { messageOf, type Reason } from '../../ground/model/reason.ts'
import { massDisruption } from './limits.ts'
import type { NodeCounts } from './node-counts.ts'
import type { Pass } from './pass.ts'
import { awaitsPromotion, failedNodes, isStalled, massReason, named } from './rollout-rules.ts'

interface Seen {
  readonly counts: NodeCounts
  /** Every node has the wanted revision, and nothing is under way. */
  readonly isComplete: boolean
  readonly reasons: readonly Reason[]
}

type Words = Omit<ConditionWords, 'type'>

/** The conditions of an IngressDaemonSet. `Ready` and `Stalled` are those that kstatus goes by. */
export function ingressConditions(pass: Pass, seen: Seen): readonly ConditionWords[] {
  return [
    { type: 'Available', ...available(pass, seen) },
    { type: 'Progressing', ...progressing(pass, seen) },
    { type: 'Stalled', ...stalled(pass) },
    { type: 'Degraded', ...degraded(pass) },
    { type: 'Ready', ...ready(pass, seen) },
  ]
}

const is = (status: boolean, reason: string, message: string): Words => ({
  status: status ? 'True' : 'False',
  reason,
  message,
})

const inService = ({ ready, desired }: NodeCounts): string => `${ready} of ${desired} nodes are in service`

function available({ s }: Pass, { counts }: Seen): Words {
  if (counts.desired === 0) return is(false, 'NoNodes', 'no node needs pods')
  const wanted = Math.max(1, Math.min(s.object.spec.rollout.minInServiceNodes, counts.desired))
  const isEnough = counts.ready >= wanted
  return is(isEnough, isEnough ? 'EnoughInService' : 'TooFewInService', inService(counts))
}

function progressing(pass: Pass, { counts, isComplete, reasons }: Seen): Words {
  const updated = `${counts.updated} of ${counts.desired} nodes have revision ${pass.target}`
  if (pass.s.rollbackRefused !== undefined) return is(false, 'RollbackRefused', pass.s.rollbackRefused.text)
  if (isComplete) return is(false, isRolledBack(pass) ? 'RolledBack' : 'Complete', updated)
  if ((pass.s.conflicts ?? []).length > 0) return is(false, 'IngressConflict', updated)
  if (isStalled(pass)) return is(false, 'RolloutStalled', updated)
  if (pass.s.object.spec.rollout.paused) return is(false, 'RolloutPaused', `${updated}, and the rollout is paused`)
  const awaits = awaitsPromotion(pass)
  if (awaits !== undefined)
    return is(false, 'CanaryAwaited', `${updated}; ${awaits}, and the rollout waits to be let go on`)
  const [first] = reasons
  return is(true, 'RollingOut', first === undefined ? updated : `${updated}; ${first.text}`)
}

/** The template failed, so the nodes have or get another revision. */
const isRolledBack = ({ s, target }: Pass): boolean => s.revisions.desired !== target

const rolledBack = ({ s: { object, revisions }, target }: Pass): string =>
  `revision ${revisions.desired}, which the template asks for, failed, so the nodes have revision ${target} or go back to it; change the template, or try it once more: evenkeel rollout retry ingressdaemonset/${object.name} -n ${object.namespace}`

function stalled(pass: Pass): Words {
  const { rollbackRefused: refused } = pass.s
  if (refused !== undefined) return is(true, 'RollbackRefused', messageOf(refused))
  const conflicts = pass.s.conflicts ?? []
  if (conflicts.length > 0) return is(true, 'IngressConflict', conflicts.map(messageOf).join('. '))
  const failed = failedNodes(pass)
  if (isStalled(pass)) return is(true, 'NodesStuck', `${failed.length} nodes are stuck: ${named(failed)}`)
  if (isRolledBack(pass)) return is(true, 'RolledBack', rolledBack(pass))
  return is(false, 'NotStalled', failed.length === 0 ? 'no node is stuck' : `${failed.length} nodes are stuck`)
}

function degraded(pass: Pass): Words {
  const mass = massDisruption(pass)
  if (mass.length > 0) return is(true, 'MassDisruption', messageOf(massReason(pass, mass)))
  const nodes = pass.nodes.filter(({ state }) => state === 'Degraded')
  const closed = nodes.filter(({ failsChecks }) => failsChecks)
  const lacking = nodes.filter(({ failsChecks }) => !failsChecks)
  const said = [
    ...(lacking.length > 0 ? [`pods are missing on ${named(lacking)}`] : []),
    ...(closed.length > 0 ? [`health checks fail on ${named(closed)} although their pods are ready`] : []),
  ]
  if (nodes.length > 0) return is(true, 'NodesDegraded', said.join('; '))
  return is(false, 'AsWanted', 'no pods are missing on nodes that are in service')
}

function ready(pass: Pass, { counts, isComplete }: Seen): Words {
  // The other template is wanted, and not all nodes have it.
  if (pass.s.rollbackRefused !== undefined) return is(false, 'RollbackRefused', inService(counts))
  if (pass.s.object.rollbackTo !== undefined) return is(false, 'RollingOut', 'the template is about to be another one')
  const [conflict] = pass.s.conflicts ?? []
  if (conflict !== undefined) return is(false, 'IngressConflict', messageOf(conflict))
  if (isStalled(pass)) return is(false, 'RolloutStalled', inService(counts))
  if (isRolledBack(pass)) return is(false, 'RolledBack', rolledBack(pass))
  if (!isComplete) return is(false, 'RollingOut', `${counts.updated} of ${counts.desired} nodes are updated`)
  return is(counts.unavailable === 0, counts.unavailable === 0 ? 'AllInService' : 'NodesOut', inService(counts))
}

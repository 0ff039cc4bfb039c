import type { ObjectStatus, WantedStatus } from '../../ground/model/object-status.ts'
import { sinceOf } from '../../ground/model/owned/listed-nodes.ts'
import { present } from '../../ground/model/present.ts'
import { messageOf, type Reason } from '../../ground/model/reason.ts'
import { type FieldFinding, findingReason } from '../../ground/model/schema/field-finding.ts'
import { toIsoSeconds } from '../../ground/model/time.ts'
import { ingressConditions } from './conditions.ts'
import { nodeCounts } from './node-counts.ts'
import { type NodeView, type Pass, passOf } from './pass.ts'
import type { RejectedRevision } from './rejected-revision.ts'
import { isDone } from './rollout-rules.ts'
import { rolloutStatus } from './rollout-status.ts'
import type { IngressSnapshot } from './snapshot.ts'

/** Objects have a bound in size, and a status is read by people. */
const NODES_MAX = 100

/** The wanted status of the object. Undefined: the caches are late, so the status stays as it is. */
export function ingressStatus(s: IngressSnapshot, reasons: readonly Reason[]): WantedStatus | undefined {
  if (!s.isFresh) return undefined
  const pass = passOf(s)
  const counts = nodeCounts(pass)
  const isComplete = isRolledOut(pass)
  const rollout = rolloutStatus(pass, isComplete)
  return {
    conditions: ingressConditions(pass, { counts, isComplete, reasons }),
    fields: {
      updateRevision: pass.target,
      ...revisionsOf(pass, isComplete),
      desiredNodes: counts.desired,
      currentNodes: counts.current,
      readyNodes: counts.ready,
      updatedNodes: counts.updated,
      unavailableNodes: counts.unavailable,
      detachedNodes: counts.detached,
      stuckNodes: counts.stuck,
      ...present({ rollout }),
      ...notInService(pass, reasons),
    },
  }
}

function revisionsOf({ s, target }: Pass, isComplete: boolean): WantedStatus['fields'] {
  const { current, rejected } = s.revisions
  const last = isComplete ? target : current
  return {
    ...present({ currentRevision: last }),
    // Once every node has it, it is a revision like any other.
    ...(rejected === undefined || rejected.revision === last ? {} : rejectedFields(rejected)),
  }
}

const rejectedFields = ({ revision, at, isLifted }: RejectedRevision): WantedStatus['fields'] => ({
  rejectedRevision: revision,
  ...present({ rejectedAt: at }),
  ...(isLifted ? { rejectionLifted: true } : {}),
})

/** The wanted status of a refused object. `fields`: its other fields, which stay. */
export function refusedStatus(fields: WantedStatus['fields'], reasons: readonly Reason[]): WantedStatus {
  const words = { reason: 'IngressRefused', message: reasons.map(messageOf).join('. ') }
  return {
    fields,
    conditions: [
      { type: 'Stalled', status: 'True', ...words },
      { type: 'Ready', status: 'False', ...words },
    ],
  }
}

/** Adds the condition `Doubtful`, for what is allowed and most likely not meant. It stops nothing, and exists from the first warning on. */
export function withDoubts(
  { fields, conditions }: WantedStatus,
  findings: readonly FieldFinding[],
  before: ObjectStatus['conditions'],
): WantedStatus {
  const doubts = findings.filter(({ severity }) => severity === 'warning')
  const wasDoubtful = before.some(({ type }) => type === 'Doubtful')
  if (doubts.length === 0 && !wasDoubtful) return { fields, conditions }
  const message = doubts.map((finding) => messageOf(findingReason({ code: 'IngressDoubtful' }, finding))).join('. ')
  const words =
    doubts.length === 0
      ? ({ status: 'False', reason: 'NothingDoubtful', message: 'there is no warning' } as const)
      : ({ status: 'True', reason: 'IngressDoubtful', message } as const)
  return { fields, conditions: [...conditions, { type: 'Doubtful', ...words }] }
}

/** Every node has the wanted revision, and nothing is under way. */
const isRolledOut = (pass: Pass): boolean => pass.eligible.every((n) => isDone(pass, n))

interface ListedNode {
  readonly name: string
  readonly state: NodeView['state']
  /** The code of why, and its sentence. */
  readonly reason?: string
  readonly message?: string
  readonly since?: string
}

function notInService({ s, nodes }: Pass, reasons: readonly Reason[]): WantedStatus['fields'] {
  const firstOf = new Map(reasons.toReversed().map((reason) => [reason.object ?? '', reason]))
  const now = toIsoSeconds(s.now)
  const listed = nodes
    .map((n) => ({ name: n.name, state: shownState(n) }))
    .filter(
      ({ name, state }) =>
        (state !== 'InService' && state !== 'Absent') || REFUSED.includes(firstOf.get(name)?.code ?? ''),
    )
    .map(({ name, state }): ListedNode => {
      const first = firstOf.get(name)
      const since = state === 'InService' ? undefined : sinceOf(s.listedNodes, { name, state, now })
      return {
        ...{ name, state },
        ...(first === undefined ? {} : { reason: first.code, message: messageOf(first) }),
        ...present({ since }),
      }
    })
    .toSorted(byUrgency)
  return { nodes: listed.slice(0, NODES_MAX), ...(listed.length > NODES_MAX ? { truncated: true } : {}) }
}

/** A cordoned node that waits for its turn serves meanwhile. */
const shownState = ({ state, isServing, isUnderWay }: NodeView): NodeView['state'] =>
  state === 'Maintenance' && isServing && !isUnderWay ? 'Queued' : state

/** Reasons that need a person, even if the node is in service: for example, its gate cannot be created. */
const REFUSED: readonly string[] = ['WriteRefused', 'WriteUndone', 'NameTaken']

/** Nodes that need a person come first, and nodes that wait for their turn last. */
const urgency = ({ state, reason = '' }: ListedNode): number =>
  state === 'Stuck' || REFUSED.includes(reason) ? 0 : state === 'Queued' ? 2 : 1
const byUrgency = (one: ListedNode, other: ListedNode): number =>
  urgency(one) - urgency(other) || (one.name < other.name ? -1 : 1)

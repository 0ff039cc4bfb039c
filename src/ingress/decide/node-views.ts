import { MAINTENANCE_ANNOTATION } from '../../ground/model/claims.ts'
import {
  NODE_UID_ANNOTATION,
  RETRY_ANNOTATION,
  SKIP_ANNOTATION,
  TEMPLATE_HASH_ANNOTATION,
} from '../../ground/model/ingress-keys.ts'
import type { Node } from '../../ground/model/node.ts'
import type { FoundDeployment } from '../../ground/model/owned/found-workload.ts'
import { present } from '../../ground/model/present.ts'
import { type SeenSlot, slotIdentity } from '../../ground/model/slot.ts'
import type { WallMs } from '../../ground/model/time.ts'
import { ownerText } from '../../service/decide/budget/owner-text.ts'
import { HOLDERS_ANNOTATION } from '../../service/decide/detach-holders.ts'
import { gateState } from './drain-gate.ts'
import type { IngressFound } from './found.ts'
import { ingressOwner } from './marks.ts'
import { identityOf } from './names.ts'
import { type NodeRow, nodeRows, type RowSources, rowOf } from './node-rows.ts'
import { OP_ANNOTATION, parseOp, revisionIn } from './op.ts'
import type { Placements } from './placements.ts'
import { rejectionOf } from './rejection.ts'
import { remembered } from './remembered.ts'
import type { IngressDeployment, IngressNode } from './snapshot.ts'

/** The inputs for the view of one node. */
interface Seen {
  readonly row: NodeRow
  readonly slot: SeenSlot | undefined
  readonly agent: IngressNode['agent']
  readonly closedPort: IngressNode['closedPort']
  readonly acknowledgementSeen: WallMs | undefined
}

type View = IngressNode | 'nothing of this object'

const VIEWS = remembered<NodeRow, View>()

/** Each node that is eligible, has a mark of this object, or has a Deployment or a slot of it. */
export function nodeViews(
  found: IngressFound,
  ours: RowSources['ours'],
  { gates, placements }: { readonly gates: RowSources['gates']; readonly placements: Placements },
): readonly IngressNode[] {
  const { object, nodes } = found
  const slots = new Map(
    found.budget.slots.flatMap((slot) =>
      slot.isStale || slot.owner.node === undefined ? [] : [[slot.owner.node, slot]],
    ),
  )
  const owner = ingressOwner(object)
  const recall = VIEWS(object.spec, nodes.length)
  const rows = nodeRows({ found, ours, gates })
  const views: IngressNode[] = []
  for (const row of rows) {
    const seen = seenOf(found, row, slots)
    const make = (): View => listedView(found, seen, placements(row.node, row.deployment?.annotations))
    const { agent, closedPort, acknowledgementSeen } = seen
    const view = isTimeless(seen)
      ? recall(row, [object.uid, owner, placements, agent, closedPort, acknowledgementSeen], make)
      : make()
    if (typeof view === 'object') views.push(view)
  }
  const areAllListed = rows.filter(({ deployment }) => deployment !== undefined).length === ours.size
  for (const name of areAllListed && slots.size === 0 ? [] : unlisted(found, ours, slots)) {
    const seen = seenOf(found, rowOf({ found, ours, gates }, name, undefined), slots)
    views.push({ ...viewOf(found, seen), eligibility: 'Leave', isGoing: true, slot: slotOf(found, seen) })
  }
  return views
}

type Slots = ReadonlyMap<string, SeenSlot>

/** Names of unlisted nodes that have a Deployment or a slot of this object. */
function unlisted({ nodes, slotHolder }: IngressFound, ours: RowSources['ours'], slots: Slots): readonly string[] {
  const held = [...slots].filter(([, slot]) => slotIdentity(slot) === slotHolder).map(([name]) => name)
  const names = new Set(nodes.map(({ name }) => name))
  return [...new Set([...ours.keys(), ...held])].filter((name) => !names.has(name))
}

function seenOf(found: IngressFound, row: NodeRow, slots: Slots): Seen {
  return {
    row,
    slot: slots.get(row.name),
    agent: found.agentOf(row.name),
    closedPort: found.closedPortOf?.(row.name),
    acknowledgementSeen: row.node === undefined ? undefined : found.acknowledgedSince(row.node),
  }
}

/** The view does not depend on the time: no slot is held, and no pod failed. */
const isTimeless = ({ slot, row }: Seen): boolean =>
  slot === undefined && !row.pods.some(({ isFailed, isShutDown }) => isFailed || isShutDown)

function listedView(found: IngressFound, seen: Seen, placed: ReturnType<Placements>): View {
  const view = viewOf(found, seen)
  const slot = slotOf(found, seen)
  const matters =
    placed.eligibility !== 'Leave' ||
    seen.row.deployment !== undefined ||
    view.pods > 0 ||
    slot.kind === 'ours' ||
    (seen.row.node !== undefined && bears(seen.row.node, ingressOwner(found.object)))
  return matters ? { ...view, ...placed, slot } : 'nothing of this object'
}

/** The Node may have a claim or a mark of this object. */
const bears = ({ annotations }: Node, owner: string): boolean =>
  [MAINTENANCE_ANNOTATION, HOLDERS_ANNOTATION].some((key) => annotations[key]?.includes(owner) === true)

function slotOf(found: IngressFound, { row, slot }: Seen): IngressNode['slot'] {
  if (slot === undefined) return { kind: 'none' }
  if (slotIdentity(slot) !== found.slotHolder) return { kind: 'others', owner: ownerText(slot) }
  const { since = found.now, lost, withdrawn } = found.heldSlot(row.name) ?? {}
  const word = parseOp(lost?.op)
  return {
    ...{ kind: 'ours', index: slot.index, takenAt: since },
    ...present({ withdrawnAt: withdrawn }),
    ...(lost !== undefined && word.kind === 'op' ? { lost: { op: word.op, since: lost.since } } : {}),
  }
}

function viewOf(found: IngressFound, seen: Seen): Omit<IngressNode, keyof ReturnType<Placements> | 'slot'> {
  const { row, agent, closedPort, acknowledgementSeen } = seen
  const { name, node, deployment, pods } = row
  const request = requestOf(deployment)
  return {
    name,
    pods: pods.filter(({ isFinished }) => !isFinished).length,
    ...present({ node }),
    ...(deployment === undefined ? {} : { deployment: deploymentView(found, deployment, row) }),
    ...present({ agent, closedPort, acknowledgementSeen, request }),
  }
}

function requestOf(deployment: FoundDeployment | undefined): IngressNode['request'] {
  const { [RETRY_ANNOTATION]: retry, [SKIP_ANNOTATION]: skip } = deployment?.annotations ?? {}
  if (retry !== undefined) return { kind: 'retry', of: retry }
  return skip === undefined ? undefined : { kind: 'skip', of: skip }
}

const FAILED_WITHIN_MS = 600_000

function deploymentView(
  { object, now }: IngressFound,
  deployment: FoundDeployment,
  { node, pods, gate }: NodeRow,
): IngressDeployment {
  const { annotations, replicas, updated, ready, available, isObserved } = deployment
  const revision = revisionIn(annotations[TEMPLATE_HASH_ANNOTATION])
  const word = parseOp(annotations[OP_ANNOTATION])
  const begun = word.kind === 'op' ? (word.op.t2 ?? word.op.t0) : 0
  const tried = rejectionOf({ annotations, revision })?.triedAt ?? 0
  // Pods have creation times in whole seconds. A note in the future would hide failures for ever.
  const since = Math.max(now - FAILED_WITHIN_MS, begun, Math.floor(Math.min(tried, now) / 1_000) * 1_000)
  const nodeUid = annotations[NODE_UID_ANNOTATION]
  const waiting = pods.find((pod) => pod.waiting !== undefined && !pod.isFinished)
  const isOfEarlierNode = node !== undefined && nodeUid !== undefined && nodeUid !== node.uid
  return {
    ...{ revision, annotations, replicas, updated, ready, available, isObserved },
    oldPods: pods.filter((pod) => !pod.isFinished && pod.revision !== revision).length,
    failedPods: pods.filter(({ isFailed, createdAt }) => isFailed && createdAt >= since).length,
    shutDownPods: pods.filter(({ isShutDown, createdAt }) => isShutDown && createdAt >= since).length,
    runningPods: pods.filter(({ isRunning }) => isRunning).length,
    ...(waiting === undefined ? {} : { waiting: `${waiting.name}: ${waiting.waiting}` }),
    gate: gate === undefined ? 'absent' : gateState(object, identityOf(deployment, ''), gate),
    ...(isOfEarlierNode ? { isOfEarlierNode } : {}),
    ...(deployment.deleting ? { isBeingDeleted: true } : {}),
  }
}

import { present } from '../../ground/model/present.ts'
import { isRestored } from '../../service/decide/attach.ts'
import { isSilent, lostServers, nodeServers } from '../../service/decide/node-servers.ts'
import { observeService } from '../../service/decide/observe.ts'
import { commandKey, isCommandKey } from '../../service/model/action.ts'
import { volumesSeen } from './drain/attached-volumes.ts'
import { blockedPods } from './drain/blocked-ladder.ts'
import { endpointsGone } from './drain/polite-steps.ts'
import type { Evidence } from './evidence.ts'
import { hasCurrent, hasRebooted, ownIntent, ownRecord, type RecordedSnapshot } from './node-snapshot.ts'
import { podsHere } from './pods-here.ts'
import { serviceOf } from './service-of.ts'
import type { RollSnapshot } from './snapshot.ts'
import { isShut } from './steps/drain.ts'
import { pausedUnheard } from './stood-still.ts'
import type { AnySnapshot } from './subject.ts'

/** Folds what is seen now into what was seen before. Pure; run on every snapshot before it is judged. */
export function observe(snapshot: RollSnapshot): Evidence {
  const s: RollSnapshot = { ...snapshot, evidence: { ...snapshot.evidence, ...slotHeard(snapshot) } }
  if (!hasCurrent(s)) return s.evidence
  const record = ownRecord(s)
  if (record === undefined) return s.evidence
  const recorded: RecordedSnapshot = { ...s, record }
  const { detached, ...waits } = observeService(serviceOf(recorded))
  const seen: Evidence = {
    ...s.evidence,
    goneSince: undefined,
    ...unheardMeanwhile(s),
    ...(s.current.absent === true ? goneSince(s) : {}),
    ...firstReturn(recorded),
    ...alreadyAttached(recorded),
    ...drainBegun(recorded),
    ...reopened(recorded),
    ...volumesSeen(recorded),
    ...endpointsGone(recorded),
    ...blockedPods(recorded),
    ...waits,
    ...notInVain(s),
    ...(s.journalWritable && s.evidence.unwrittenSince !== undefined ? { unwrittenSince: undefined } : {}),
  }
  return seen.attachingSince !== undefined ? seen : { ...seen, detached }
}

/** A server that was seen in the state that it was set to may be set to it again at once: a reload forgets it. */
function notInVain({ instances, evidence: { written } }: RollSnapshot): Pick<Evidence, 'written'> {
  if (written === undefined || !Object.keys(written).some(isCommandKey)) return {}
  const seen = new Set(
    instances.flatMap(({ reading }) => reading?.servers ?? []).map(({ ref, ownState }) => commandKey(ref, ownState)),
  )
  return { written: Object.fromEntries(Object.entries(written).filter(([key]) => !seen.has(key))) }
}

/** A claim whose answer came too late for the caller still holds. */
export const slotHeard = ({ slot, evidence, now }: AnySnapshot): Pick<Evidence, 'slotTakenAt'> =>
  slot.state !== 'mine' || evidence.slotTakenAt !== undefined ? {} : { slotTakenAt: now }

/** What the way back waits for from when on. An attach that nothing interrupted yet is waited for since it began. */
function unheardMeanwhile(s: RollSnapshot): Partial<Evidence> {
  const { awaySince, returnedSince, settlingSince, unwrittenSince, attachingSince } = s.evidence
  const { attachDueSince = attachingSince } = s.evidence
  return pausedUnheard(s, { awaySince, returnedSince, settlingSince, unwrittenSince, attachDueSince })
}

function goneSince(s: RollSnapshot): Pick<Evidence, 'goneSince'> {
  const { goneSince: since } = s.evidence
  return { goneSince: since ?? s.now, ...pausedUnheard(s, { goneSince: since }) }
}

function firstReturn(s: RecordedSnapshot): Pick<Evidence, 'returned' | 'returnedSince'> {
  const { bootId, heartbeat } = s.current.node
  // The limits of the way back begin when its steps can.
  if (!hasRebooted(s) || s.cluster.unlisted !== undefined) return {}
  const { leaseRenewTime } = s.current
  const known = s.evidence.returned
  const first: Evidence['returned'] = known?.bootId === bootId ? known : { bootId, at: s.now, heartbeat }
  const since = s.evidence.returnedSince === undefined ? { returnedSince: first.at } : {}
  // Where the Lease is read only later, the first renewal that is read counts as one from before.
  if (first.leaseRenewTime !== undefined || leaseRenewTime === undefined) return { returned: first, ...since }
  return { returned: { ...first, leaseRenewTime }, ...since }
}

/**
 * A process that begins with a node that is rebooted, uncordoned and up everywhere finds it in its soak. A node that was cordoned
 * before the run stays cordoned, so the cordon shows nothing, and the node settles again.
 */
function alreadyAttached(s: RecordedSnapshot): Partial<Pick<Evidence, 'attachingSince' | 'attachingSinceWall'>> {
  if (s.evidence.attachingSince !== undefined) return s.cluster.unlisted === undefined ? {} : { attachingSince: s.now }
  if (Object.keys(s.evidence.detached).length > 0) return {}
  if (!hasRebooted(s) || s.record.unschedulable || s.current.node.unschedulable) return {}
  const service = serviceOf(s)
  if (lostServers(service).length > 0) return {}
  const servers = nodeServers(service)
  const up = servers.length > 0 && servers.every((server) => !isSilent(server.instance) && isRestored(service, server))
  return up && servers.some(({ recorded }) => recorded.state === 'ready')
    ? { attachingSince: s.now, attachingSinceWall: s.wall }
    : {}
}

/**
 * The pods that are here when the drain begins; later ones of the same workload were put back. While people have taken the
 * cordon off, or the Node registered anew without it, the scheduler places pods here, and they leave like all others. A pod of
 * a DaemonSet counts as put back only if our taint was on the node: it is off before stage 3, and after a drain was given up.
 */
function drainBegun(s: RecordedSnapshot): Pick<Evidence, 'firstSeen' | 'evicted'> {
  const { firstSeen } = s.evidence
  const evicted = isShut(s) ? s.evidence.evicted : withoutDaemonSets(s.evidence.evicted)
  if (s.current.recordLost === true) return { firstSeen: [], evicted }
  if (!s.current.node.unschedulable) return { firstSeen: [], evicted }
  if (firstSeen.length > 0) return { firstSeen, evicted }
  return { firstSeen: podsHere(s).map((pod) => pod.uid), evicted }
}

/** From the announcement on the cordon keeps pods away from a machine that may go down at any moment. */
const reopened = (s: RecordedSnapshot): Pick<Evidence, 'reopened'> =>
  ownIntent(s) !== undefined && !s.current.node.unschedulable && s.current.absent !== true ? { reopened: true } : {}

/** Evicted pods of DaemonSets still count as evicted, but another pod of the same DaemonSet does not count as put back. */
const withoutDaemonSets = (evicted: Evidence['evicted']): Evidence['evicted'] =>
  Object.fromEntries(
    Object.entries(evicted).map(([uid, pod]) => [
      uid,
      pod.stage === 3 ? { name: pod.name, stage: 3, ...present({ volumes: pod.volumes }) } : pod,
    ]),
  )

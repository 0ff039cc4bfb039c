import type { Pod } from '../../../ground/model/pod.ts'
import type { Reason } from '../../../ground/model/reason.ts'
import { act, done, hold } from '../../../service/decide/step-answer.ts'
import type { RecordedDaemon } from '../../../service/model/node-record.ts'
import { OUT_TAINT } from '../../../service/model/node-record.ts'
import { hasRebooted, type RecordedSnapshot } from '../node-snapshot.ts'
import { daemonNotBack, type ExpectedDaemon, expectedDaemons } from '../recorded-daemons.ts'
import { keptOut, type StepRule } from '../step-rule.ts'

/**
 * Step 7: by identity, never by a clock of the node. Ready alone is worthless: after a short reboot it never turns
 * False, and for a second after the new boot id pods still read Ready from before. So the node must have said something since
 * its boot: a container of this boot is Ready, or, where it carries none, a heartbeat came.
 *
 * Law: a node is proven by identity, and never by Ready alone.
 */
export const proof: StepRule = {
  step: 'proof',
  next(s) {
    if (s.evidence.attachingSince !== undefined) return done
    const shut = s.current.node.taints.find((taint) => taint.key === OUT_TAINT.key)
    if (shut !== undefined && hasRebooted(s)) {
      return act([{ kind: 'removeTaint', node: s.current.node.name, taint: shut }], {
        code: 'StillShut',
        text: 'the taint against returning pods is still on the node',
      })
    }
    const missing = unproven(s)
    return missing.length === 0 ? done : hold(missing)
  },
  limit(s) {
    // A machine that boots again and again has one limit for all its boots.
    const { returned, returnedSince: since = returned?.at } = s.evidence
    const isLater = s.evidence.attachingSince !== undefined
    if (isLater || since === undefined || s.now - since < s.spec.reboot.returnLimitMs) return undefined
    const missing = unproven(s)
    if (missing.length === 0) return undefined
    const { name } = s.current.node
    return keptOut({ code: 'NotProven', object: name, text: `${name} came back, but without proof` }, missing)
  },
}

function unproven(s: RecordedSnapshot): readonly Reason[] {
  const { node } = s.current
  if (!hasRebooted(s))
    return [{ code: 'SameBootId', object: node.name, text: `${node.name} still has its old boot id` }]
  const reasons: Reason[] = []
  const daemons = expectedDaemons(s)
  const since = sinceBoot(s)
  if (!since.heartbeat && !daemons.some((expected) => isProven(expected, since))) {
    reasons.push({
      code: 'HeartbeatOld',
      object: node.name,
      text: `${node.name} has sent no heartbeat since its new boot id appeared`,
    })
  }
  if (node.ready !== 'True') {
    reasons.push({
      code: 'NodeNotReady',
      object: node.name,
      text: `${node.name} is not Ready (Ready is ${node.ready})`,
    })
  }
  return [...reasons, ...foreignTaints(s), ...daemons.flatMap((expected) => unprovenDaemon(expected, since))]
}

/** What of the node is newer than its boot. */
interface SinceBoot {
  readonly heartbeat: boolean
  /** A heartbeat, and its kubelet must have checked every pod meanwhile. */
  readonly podsChecked: boolean
  /** Ids of containers. */
  readonly containers: ReadonlySet<string>
}

/** A kubelet checks its pods within a second of its boot (measured). A heartbeat may come before that. */
const PODS_CHECKED_MS = 10_000

function sinceBoot(s: RecordedSnapshot): SinceBoot {
  const heartbeat = heartbeatMoved(s)
  const sinceMs = s.now - (s.evidence.returned?.at ?? s.now)
  return {
    heartbeat,
    podsChecked: heartbeat && sinceMs >= PODS_CHECKED_MS,
    containers: new Set(s.current.newContainers),
  }
}

/**
 * Either heartbeat will do: the kubelet writes its status rarely and its Lease often (KEP-0009). A Lease that is not known
 * now, gone or not read yet, has not moved.
 */
function heartbeatMoved(s: RecordedSnapshot): boolean {
  const seen = s.evidence.returned
  if (seen === undefined || seen.bootId !== s.current.node.bootId) return false
  const [before, now] = [seen.leaseRenewTime, s.current.leaseRenewTime]
  const leaseMoved = before !== undefined && now !== undefined && now !== before
  return s.current.node.heartbeat !== seen.heartbeat || leaseMoved
}

/** Taints that were not there before and keep pods away: `not-ready`, `unreachable`, a network plugin's own. */
function foreignTaints(s: RecordedSnapshot): readonly Reason[] {
  return s.current.node.taints
    .filter((taint) => taint.effect !== 'PreferNoSchedule' && taint.key !== 'node.kubernetes.io/unschedulable')
    .filter((taint) => !s.record.taints.some((known) => known.key === taint.key && known.effect === taint.effect))
    .map((taint) => ({
      code: 'StartupTaint',
      object: s.current.node.name,
      text: `${s.current.node.name} still has the taint ${taint.key}:${taint.effect}`,
    }))
}

function unprovenDaemon(expected: ExpectedDaemon, since: SinceBoot): readonly Reason[] {
  if (isProven(expected, since)) return []
  const { daemon, pods } = expected
  const ready = pods.filter((pod) => pod.ready)
  if (ready.some((pod) => !hasOtherContainers(pod, daemon)))
    return [daemonNotBack(daemon, 'still shows its containers of before the reboot')]
  const isUnsure = ready.some((pod) => !pod.terminating)
  return [daemonNotBack(daemon, isUnsure ? 'shows containers that may be of before the reboot' : 'is not Ready again')]
}

/**
 * The recorded ids are not all that there were before the reboot: a container that restarted after the record has another one,
 * and reads Ready for a while as all do. So an id counts at once only where no pod showed it yet when the boot id was known.
 * A process that begins later cannot tell the two apart: then they count after a while.
 */
const isProven = ({ daemon, pods }: ExpectedDaemon, since: SinceBoot): boolean =>
  pods.some(
    (pod) =>
      pod.ready &&
      !pod.terminating &&
      hasOtherContainers(pod, daemon) &&
      (since.podsChecked || isOfThisBoot(pod, since)),
  )

function hasOtherContainers(pod: Pod, daemon: RecordedDaemon): boolean {
  const ids = Object.values(pod.containerIds)
  return ids.length > 0 && ids.every((id) => id !== '' && !daemon.containerIds.includes(id))
}

const isOfThisBoot = (pod: Pod, { containers }: SinceBoot): boolean =>
  Object.values(pod.containerIds).every((id) => containers.has(id))

import { isAway } from '../../ground/model/eviction.ts'
import type { RebootAnswer } from '../../ground/model/host.ts'
import type { Pod } from '../../ground/model/pod.ts'
import { present } from '../../ground/model/present.ts'
import { monoMs } from '../../ground/model/time.ts'
import { workloadKey } from '../../ground/model/workload.ts'
import { rememberService } from '../../service/decide/observe.ts'
import { type Action, actionKey, isCommandKey, type RemovalAction } from '../../service/model/action.ts'
import type { Outcome } from '../../service/model/outcome.ts'
import { volumesOf } from './drain/attached-volumes.ts'
import { readyBeyond } from './drain/ready-pods.ts'
import { replacerOf } from './drain/replacer-of.ts'
import type { EvictedPod, Evidence } from './evidence.ts'
import { hasCurrent, ownRecord } from './node-snapshot.ts'
import type { RollSnapshot } from './snapshot.ts'
import { answeredReboot, isFirstReboot } from './steps/reboot.ts'
import { wordsOf } from './when-due.ts'

/** Adds the result of an action to the evidence. Pure. */
export function rememberOutcome(s: RollSnapshot, action: Action, outcome: Outcome): Evidence {
  const evidence = withRetry(s, action, outcome)
  switch (action.kind) {
    case 'evict':
    case 'deletePod':
      return withEviction({ ...s, evidence }, action, outcome)
    case 'releasePod':
    case 'withdrawPod':
    case 'giveBackPod':
      return outcome.ok ? withRelabelled(evidence, action) : evidence
    case 'markToCome':
    case 'unmarkToCome':
      return outcome.ok ? { ...evidence, marked: [...(evidence.marked ?? []), action.node] } : evidence
    case 'takeSlot':
      return outcome.ok ? { ...evidence, slotTakenAt: s.now } : evidence
    case 'releaseSlot':
      return outcome.ok ? withoutSlot(evidence) : evidence
    case 'writeRecord':
      return outcome.ok && action.announced === true ? { ...evidence, announcedAgain: true } : evidence
    case 'writeIntent':
      if (!outcome.ok) return evidence
      return { ...evidence, ...(action.again === true ? { announcedAgain: true } : { intentByUs: true }) }
    case 'sendReboot':
      return outcome.reboot === undefined ? evidence : { ...evidence, ...sent(s, outcome.reboot) }
    default:
      return { ...evidence, ...rememberService({ evidence, now: s.now }, action, outcome) }
  }
}

/**
 * A slot that was given back before the node was begun is taken anew, and what was read in between may be another owner's doing. That of a
 * node that is through counts for how long the node took.
 */
function withoutSlot(evidence: Evidence): Evidence {
  const { slotTakenAt: _, ...rest } = evidence
  return evidence.attachedAt === undefined ? rest : evidence
}

function sent({ now, evidence: { reboot: before } }: RollSnapshot, answer: RebootAnswer): Partial<Evidence> {
  const reboot = answeredReboot(before, { at: now, answer })
  return { reboot, ...(isFirstReboot(before, reboot) ? { awaySince: now } : {}) }
}

function withRetry(s: RollSnapshot, action: Action, outcome: Outcome): Evidence {
  const key = actionKey(action)
  const { [key]: before, ...others } = s.evidence.retries
  if (outcome.ok) return { ...s.evidence, retries: others, ...withWritten(s, action) }
  const failures = (before?.failures ?? 0) + 1
  const notBefore = (s.now + outcome.retryInMs) as typeof s.now
  return { ...s.evidence, retries: { ...others, [key]: { failures, notBefore, error: outcome.error } } }
}

const UNDONE_FIRST_MS = 1000
const UNDONE_MAX_MS = 60_000

/** How long what was done `times` times and is not seen waits for the next time. */
export const undonePauseMs = (times: number): number => Math.min(UNDONE_FIRST_MS * 2 ** (times - 1), UNDONE_MAX_MS)

/**
 * Law: if somebody undoes a write on a Node, the roll repeats it after a growing pause.
 *
 * So it is with a command to a balancer that is accepted and changes nothing: `observe` forgets it once it is seen to have done something.
 * The first repetition comes at once: a process that a reload replaces may have taken the command.
 */
function withWritten({ evidence: { written = {} }, now }: RollSnapshot, action: Action): Pick<Evidence, 'written'> {
  const key = actionKey(action)
  const isCommand = isCommandKey(key)
  if (wordsOf(action) === undefined && !isCommand) return {}
  const times = (written[key]?.times ?? 0) + 1
  const pauseMs = isCommand && times === 1 ? 0 : undonePauseMs(isCommand ? times - 1 : times)
  return { written: { ...written, [key]: { times, notBefore: monoMs(now + pauseMs) } } }
}

/**
 * A pod whose eviction was not answered may be on its way: the drain goes on only when its workload is back. Where it is still here and
 * serves, its workload lacks nothing, and it is asked again.
 */
function withEviction(s: RollSnapshot, action: RemovalAction, outcome: Outcome): Evidence {
  const answer = outcome.eviction
  const evidence =
    answer === undefined ? s.evidence : { ...s.evidence, evictions: { ...s.evidence.evictions, [action.uid]: answer } }
  if (answer === undefined ? outcome.ok : !isAway(answer) && answer.kind !== 'passing') return evidence
  const isListed = s.cluster.pods.some(({ uid }) => uid === action.uid)
  const known = isListed ? undefined : evidence.evicted[action.uid]
  const all = { ...evidence.evicted, [action.uid]: known ?? evictedPod(s, action) }
  if (answer === undefined || !isAway(answer)) return { ...evidence, evicted: all }
  // The pod's ladder gave the drain a separate time limit, which ends with the pod.
  const goesOn = evidence.blocked?.[action.uid] === undefined ? {} : { stuckSince: s.now, stuckReasons: [] }
  return { ...evidence, ...goesOn, evicted: all }
}

/** What there is to know of a pod that is to leave, once it is gone. */
export function evictedPod(s: RollSnapshot, { namespace, name, uid, stage }: RemovalAction): EvictedPod {
  const pod = s.cluster.pods.find((candidate) => candidate.uid === uid)
  return {
    name: `${namespace}/${name}`,
    stage,
    ...(pod === undefined ? {} : { ...ofWhat(s, pod), ...withVolumes(s, pod) }),
  }
}

function withRelabelled(evidence: Evidence, { uid, asOf }: { readonly uid: string; readonly asOf: string }): Evidence {
  const written = [...(evidence.relabelled?.[uid] ?? []), asOf]
  return { ...evidence, relabelled: { ...evidence.relabelled, [uid]: written } }
}

function withVolumes({ cluster }: RollSnapshot, pod: Pod): Pick<EvictedPod, 'volumes'> {
  const volumes = volumesOf([pod], cluster.claims)
  return volumes.length === 0 ? {} : { volumes }
}

function ofWhat(s: RollSnapshot, pod: Pod): Pick<EvictedPod, 'workload' | 'controller' | 'ready'> {
  const replacer = replacerOf(pod, s.cluster.workloads)
  const workload = pod.polite?.workload ?? (replacer && workloadKey(replacer))
  if (workload === undefined) return present({ controller: pod.controller?.uid })
  if (replacer === undefined || !hasCurrent(s)) return { workload, ...present({ ready: pod.polite?.ready }) }
  return { workload, ...present({ ready: readyBeyond(s, replacer, ownRecord(s)) }) }
}

import type { EvictionAnswer } from '../../../ground/model/eviction.ts'
import { selectorMatches } from '../../../ground/model/label-selector.ts'
import { refKey } from '../../../ground/model/object-ref.ts'
import type { Pod } from '../../../ground/model/pod.ts'
import { labelsBefore } from '../../../ground/model/polite-mark.ts'
import { present } from '../../../ground/model/present.ts'
import { waitOf } from '../../../ground/model/reason.ts'
import type { MonoMs } from '../../../ground/model/time.ts'
import type { BlockedSpec, RollSpec } from '../../model/roll-spec.ts'
import type { BlockedPod, Evidence } from '../evidence.ts'
import type { NodeSnapshot } from '../node-snapshot.ts'
import { podsHere } from '../pods-here.ts'
import { pausedUnheard } from '../stood-still.ts'
import { classifyPod } from './classify-pod.ts'
import { isGated } from './guard-of.ts'
import { whyNotPolite } from './may-be-polite.ts'
import { isLeaving } from './ready-pods.ts'

/** What is done with a pod that may not leave: wait, start a replacement first, ask a person, delete. `over`: nothing more. */
type Rung = 'wait' | 'surge' | 'ask' | 'delete' | 'over'

/** How far a pod is on the ladder that `drain.blocked` gives it. */
export interface OnLadder {
  readonly rung: Rung
  readonly spec: BlockedSpec
  /** Why no replacement is started first, where the file asks for one. */
  readonly noSurge?: string
  /** When the ladder is over. */
  readonly endsAt: number
}

/**
 * The entry that chooses the pod. No entry chooses a pod that is for its node alone: its budget is shut on purpose, and its
 * controller opens it in time.
 */
export const blockedSpec = (pod: Pod, { blocked = [] }: RollSpec['drain']): BlockedSpec | undefined =>
  isGated(pod)
    ? undefined
    : blocked.find(
        ({ selector, namespaces }) =>
          (namespaces?.includes(pod.namespace) ?? true) &&
          (selector === undefined || selectorMatches(selector, labelsBefore(pod))),
      )

/**
 * Undefined: the pod may leave as far as is known, or no entry chooses it. `from`: since when it may not leave, if that was not
 * seen yet.
 */
export function ladderOf(s: NodeSnapshot, pod: Pod, from?: MonoMs): OnLadder | undefined {
  const spec = blockedSpec(pod, s.spec.drain)
  const since = s.evidence.blocked?.[pod.uid]?.since ?? from
  if (spec === undefined || since === undefined) return undefined
  const noSurge = spec.surgeMs === undefined ? undefined : whyNoSurge(s, pod)
  const surgeUntil = spec.waitMs + (noSurge === undefined ? (spec.surgeMs ?? 0) : 0)
  const askUntil = surgeUntil + (spec.askMs ?? 0)
  const forMs = s.now - since
  const isAgreed = pod.blockedAnswer === 'delete' && spec.askMs !== undefined
  const rung = (): Rung => {
    if (forMs < spec.waitMs) return 'wait'
    if (forMs < surgeUntil) return 'surge'
    if (isAgreed) return 'delete'
    if (forMs < askUntil) return 'ask'
    return spec.delete ? 'delete' : 'over'
  }
  // A deletion may be refused, too.
  const deletionMs = spec.delete || isAgreed ? s.spec.drain.blockedLimitMs : 0
  const endsAt = since + askUntil + deletionMs
  return { rung: rung(), spec, endsAt, ...present({ noSurge }) }
}

function whyNoSurge({ spec, cluster }: NodeSnapshot, pod: Pod): string | undefined {
  if (pod.polite !== undefined) return undefined
  if (classifyPod(pod, spec.drain).kind === 'refused' && pod.usesEmptyDir)
    return 'the data in its emptyDir would be lost'
  if (!pod.ready) return 'it is not Ready'
  const { services } = cluster
  return services === undefined ? 'Services are not followed' : whyNotPolite({ ...cluster, services }, pod)
}

/** Since when pods of this node may not leave, as this process has seen it. */
export function blockedPods(s: NodeSnapshot): Pick<Evidence, 'blocked'> {
  if (s.spec.drain.blocked === undefined) return {}
  const held = podsHere(s).filter((pod) => blockedSpec(pod, s.spec.drain) !== undefined && mayNotLeave(s, pod))
  return { blocked: Object.fromEntries(held.map((pod) => [pod.uid, seen(s, pod)])) }
}

/** The ladder stands still while the API server is away. */
function seen(s: NodeSnapshot, pod: Pod): BlockedPod {
  const before = s.evidence.blocked?.[pod.uid]
  const answer = pod.blockedAnswer === undefined ? {} : { answer: pod.blockedAnswer }
  const isAnew = pod.blockedAnswer === 'wait' && before?.answer !== 'wait'
  if (before === undefined || isAnew) return { since: s.now, ...answer }
  return { since: before.since, ...pausedUnheard(s, { since: before.since }), ...answer }
}

function mayNotLeave(s: NodeSnapshot, pod: Pod): boolean {
  if (pod.terminating || isLeaving(s, pod)) return false
  if (s.evidence.blocked?.[pod.uid] !== undefined) return true
  if (pod.polite !== undefined) return blockedSpec(pod, s.spec.drain)?.surgeMs !== undefined || holdsUp(s, pod)
  const answer = s.evidence.evictions[pod.uid]
  if (answer !== undefined && isRefusal(answer)) return true
  return s.evidence.stuckStep === 'drain' && classifyPod(pod, s.spec.drain).kind === 'refused'
}

/** The pod itself may not leave, as by a budget that has none to spare; it does not just wait for its replacement. */
const holdsUp = ({ evidence }: NodeSnapshot, pod: Pod): boolean =>
  evidence.stuckReasons.some((reason) => reason.object === refKey(pod) && waitOf(reason) === 'blocked')

/** The budget or the API server refused; the API server was not away or busy. */
export const isRefusal = ({ kind }: EvictionAnswer): boolean => REFUSALS.has(kind)

const REFUSALS: ReadonlySet<string> = new Set<EvictionAnswer['kind']>([
  'budget',
  'budgetStale',
  'budgetBroken',
  'twoBudgets',
  'refused',
])

/**
 * When the wait for the drain is over, where pods on a ladder delay it; undefined where something else delays it, with a limit
 * of its own.
 */
export function laddersEndAt(s: NodeSnapshot): MonoMs | undefined {
  if (s.spec.drain.blocked === undefined) return undefined
  const ladders = new Map(podsHere(s).map((pod) => [refKey(pod), ladderOf(s, pod)]))
  const { stuckReasons } = s.evidence
  const held = stuckReasons.flatMap(({ object = '' }) => ladders.get(object) ?? [])
  const others = stuckReasons.filter(({ object = '' }) => ladders.get(object) === undefined)
  if (held.length === 0 || others.some((reason) => waitOf(reason) !== 'in course')) return undefined
  return Math.max(...held.map(({ endsAt }) => endsAt)) as MonoMs
}

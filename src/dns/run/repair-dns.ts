import { DeadlineError } from '../../ground/loop/deadline.ts'
import type { Leader } from '../../ground/loop/leader.ts'
import { formatDuration } from '../../ground/model/duration.ts'
import { present } from '../../ground/model/present.ts'
import { toIso } from '../../ground/model/time.ts'
import { WorldError } from '../../ground/model/world-error.ts'
import type { Clock } from '../../ground/ports/clock.ts'
import { diagnose } from '../decide/diagnosis/diagnose.ts'
import { decideRepair, type RepairDecision } from '../decide/repair/decide-repair.ts'
import { isOfUpstreamAlone } from '../decide/repair/guards.ts'
import type { PastRepair, SickPod } from '../decide/repair/repair-snapshot.ts'
import type { ScenePod } from '../decide/scene.ts'
import { verdictOf } from '../decide/verdict.ts'
import type { DnsRepairer, PodOfDns } from '../ports/dns-repairer.ts'
import type { DnsCheck } from './check-dns.ts'
import type { PastRepairs } from './past-repairs.ts'

export interface RepairParts {
  /** From at least two nodes, where that can be had. */
  readonly check: (signal: AbortSignal) => Promise<DnsCheck>
  readonly repairer: DnsRepairer
  readonly past: PastRepairs
  readonly clock: Clock
  /** Hears what goes on, a sentence each. */
  readonly say: (text: string) => void
  /** How long DNS is watched once it is well, and how often it is checked then. */
  readonly watch?: { readonly forMs: number; readonly everyMs: number }
}

export interface Repair {
  readonly check: DnsCheck
  readonly decision: RepairDecision
  /** Absent: nothing was done. */
  readonly outcome?: RepairOutcome
}

export type RepairOutcome =
  /** `after`: the check that said so, the last of those that watched it. */
  | { readonly kind: 'cured'; readonly after: DnsCheck; readonly tookMs: number }
  | { readonly kind: 'notCured'; readonly why: string; readonly after?: DnsCheck }
  | { readonly kind: 'notTouched'; readonly why: string }

/** Answers of the API server that rule out that it did what was asked. */
const NOTHING_DONE: ReadonlySet<string> = new Set(['KUBE_FORBIDDEN', 'KUBE_NOT_FOUND', 'KUBE_INVALID'])
/** A pod starts, is listed and is heard of by every kube-proxy. */
const CURED_WITHIN_MS = 180_000
const BETWEEN_CHECKS_MS = 2_000
/** It must stay so: what clients suffer from old entries of connection tracking shows by then. */
const WATCH = { forMs: 60_000, everyMs: 10_000 }

/** What would be done. Nothing is changed. */
export async function wouldRepair(parts: RepairParts, signal: AbortSignal): Promise<Repair> {
  const check = await parts.check(signal)
  const { namespace } = check.scene.service
  const [reading, past] = await Promise.all([
    parts.repairer.read({ namespace, selector: check.selector }, signal),
    parts.past.read(signal),
  ])
  const { scene, findings, rounds } = check
  const memory = parts.past.ref
  const wallMs = Number(parts.clock.wallMs())
  const decision = decideRepair({ ...reading, scene, findings, rounds, past, memory, wallMs })
  return { check, decision }
}

/** One repair, by the only process that may do one now; it is decided by what is seen while it leads. */
export async function repairDns(
  parts: RepairParts,
  leader: Pick<Leader, 'isLeading'>,
  signal: AbortSignal,
): Promise<Repair> {
  const would = await wouldRepair(parts, signal)
  if (would.decision.kind !== 'act') return would
  const { past, clock, say } = parts
  const { sick, step, wanted } = would.decision
  const begun: PastRepair = { at: toIso(clock.wallMs()), pod: sick.pod.name, outcome: 'begun' }
  await past.write(begun, signal)
  const lost = leader.isLeading() ? undefined : 'the Lease was lost before the pod was touched'
  say(`${sick.pod.name} (${sick.code}): ${step}`)
  const why = lost ?? (await touched(parts, { ...would, sick, step }, signal))
  if (why !== undefined) {
    await past.forget(begun, signal)
    return { ...would, outcome: { kind: 'notTouched', why } }
  }
  const outcome = await verified(parts, { sick, wanted }, signal)
  await past.write({ ...begun, outcome: outcome.kind }, signal)
  return { ...would, outcome }
}

interface Touch {
  readonly check: DnsCheck
  readonly sick: SickPod
  readonly step: 'quarantine' | 'evict'
}

/** Why the pod was not touched; undefined where it was, or may have been. */
async function touched(
  { repairer, say }: RepairParts,
  { check, sick: { pod }, step }: Touch,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { namespace } = check.scene.service
  const at = { namespace, name: pod.name, uid: pod.uid }
  if (step === 'quarantine') return quarantined(repairer, at, signal)
  const answer = await repairer.evict(at, signal)
  // The request may have arrived all the same: it counts as a repair until DNS shows what came of it.
  if (answer.kind === 'passing') say(`whether ${pod.name} was evicted is not known (${answer.text}): DNS will show it`)
  return answer.kind === 'accepted' || answer.kind === 'passing'
    ? undefined
    : `the eviction of ${pod.name} was answered: ${answer.kind}`
}

async function quarantined(repairer: DnsRepairer, pod: PodOfDns, signal: AbortSignal): Promise<string | undefined> {
  try {
    return (await repairer.quarantine(pod, signal)) ? undefined : `${pod.name} was replaced meanwhile`
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof WorldError) || !NOTHING_DONE.has(error.code)) throw error
    return `quarantine of ${pod.name}: ${error.message}`
  }
}

/** The pod that was touched, and how many pods were to serve then. */
interface Before {
  readonly sick: SickPod
  readonly wanted: number
}

/** Another pod in its place, as many that serve as are wanted, and all of them well, for as long as it is watched. */
async function verified(
  parts: RepairParts,
  before: Before,
  signal: AbortSignal,
): Promise<Exclude<RepairOutcome, { readonly kind: 'notTouched' }>> {
  const { clock, say, watch = WATCH } = parts
  const begunAt = clock.monoMs()
  const sinceMs = (at: number): number => clock.monoMs() - at
  let wellAt: number | undefined
  for (;;) {
    const seen = await seenAfter(parts, before, signal)
    const after = seen?.after
    const { state, why } = seen === undefined ? UNKNOWN : stateOf(seen)
    const given = present({ after })
    if (state === 'well') wellAt ??= clock.monoMs()
    if (state === 'ill' && wellAt !== undefined)
      return { kind: 'notCured', why: `DNS was healthy and no longer is: ${why}`, ...given }
    if (state === 'well' && after !== undefined && wellAt !== undefined && sinceMs(wellAt) >= watch.forMs)
      return { kind: 'cured', after, tookMs: wellAt - begunAt }
    const limitMs = CURED_WITHIN_MS + (wellAt === undefined ? 0 : watch.forMs)
    if (sinceMs(begunAt) >= limitMs)
      return { kind: 'notCured', why: `after ${formatDuration(limitMs)} ${why}`, ...given }
    say(why)
    await clock.sleep(wellAt === undefined ? BETWEEN_CHECKS_MS : watch.everyMs, signal)
  }
}

interface SeenAfter {
  readonly after: DnsCheck
  /** Pods other than the one that was touched. */
  readonly serving: number
  readonly wanted: number
}

/** An API server that does not answer for a moment does not end what is under way. */
async function seenAfter(
  { check, repairer }: RepairParts,
  { sick, wanted }: Before,
  signal: AbortSignal,
): Promise<SeenAfter | undefined> {
  try {
    const after = await check(signal)
    const { pods, service } = after.scene
    const serving = pods.filter((pod) => isServing(pod, sick)).length
    if (serving >= wanted) return { after, serving, wanted }
    // Fewer may be wanted by now, as an autoscaler says.
    const workload = await repairer.workload({ namespace: service.namespace, selector: after.selector }, signal)
    return { after, serving, wanted: Math.min(wanted, workload?.desired ?? wanted) }
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof WorldError || error instanceof DeadlineError)) throw error
    return undefined
  }
}

interface State {
  readonly state: 'well' | 'ill' | 'unknown'
  readonly why: string
}

/** What was not seen is not held against the repair: it is looked at again. */
const UNKNOWN: State = { state: 'unknown', why: 'DNS could not be checked' }

function stateOf({ after: { scene, findings }, serving, wanted }: SeenAfter): State {
  if (serving < wanted) return { state: 'ill', why: `${serving} of ${wanted} pods serve` }
  const codes = findings.map(({ code }) => code).join(', ')
  // A place that reaches nothing says nothing of DNS, where others reach it.
  const vantages = scene.vantages.filter(({ control }) => control !== 'fails')
  const found = diagnose({ ...scene, vantages })
  const ofPods = found.filter((finding) => !isOfUpstreamAlone(finding))
  const verdict = ofPods.length === 0 && found.length > 0 ? 'ok' : verdictOf(ofPods)
  if (verdict === 'unverified' || verdict === 'observed')
    return { state: 'unknown', why: `it is not known whether DNS is healthy: ${codes}` }
  return verdict === 'ok'
    ? { state: 'well', why: 'DNS is healthy, and is watched' }
    : { state: 'ill', why: `the check says ${codes}` }
}

/** Right after it was touched EndpointSlices may still have the sick pod. Endpoints that are no pods take the place of none. */
const isServing = ({ uid, endpoint, terminating }: ScenePod, sick: SickPod): boolean =>
  endpoint === 'serving' && !terminating && uid !== sick.pod.uid

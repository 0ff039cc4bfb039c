import { present } from '../../ground/model/present.ts'
import { runOfOwner } from '../../ground/model/slot.ts'
import type { Clock } from '../../ground/ports/clock.ts'
import type { InstanceSnapshot } from '../../service/decide/instance-snapshot.ts'
import { INTENT_ANNOTATION, RECORD_ANNOTATION } from '../../service/model/node-record.ts'
import type { Outcome } from '../../service/model/outcome.ts'
import { parseRebootIntent } from '../../service/model/parse-node-record.ts'
import type { BudgetWatch } from '../../service/run/budget-watch.ts'
import type { LeaseKeeper } from '../../service/run/lease-keeper.ts'
import type { StepSpan } from '../decide/availability/attribution.ts'
import type { Evidence } from '../decide/evidence.ts'
import { noEvidence } from '../decide/evidence.ts'
import type { NodeBeside, NodeReading, RollSnapshot, RunSnapshot, SlotReading } from '../decide/snapshot.ts'
import type { ReloadSpan } from '../model/reload-span.ts'
import type { Verdict } from '../model/verdict.ts'
import type { Probe } from '../ports/probe.ts'
import type { BalancerPoller } from './balancer-poller.ts'
import type { ClusterView } from './cluster-view.ts'
import type { DnsWatch } from './dns-watch.ts'
import type { EventLog } from './event-log.ts'
import type { GateWatch } from './gates/gate-watch.ts'
import type { HookRunner } from './hooks/hook-runner.ts'
import type { KuredLockKeeper } from './kured/lock-keeper.ts'
import { type LastSeen, recordFrom } from './last-seen.ts'
import type { LeavingPods } from './leaving-pods.ts'
import type { NodeOverlay } from './node-overlay.ts'
import type { ReturnWatch } from './return-watch.ts'
import { type RunState, verdictFor } from './run-state.ts'
import type { SilenceKeeper } from './silences/silence-keeper.ts'
import type { TimeWindowWatch } from './time-window-watch.ts'

export interface GatherParts {
  readonly run: RunState
  readonly view: ClusterView
  readonly pollers: readonly BalancerPoller[]
  readonly keeper: LeaseKeeper
  readonly probe?: Probe
  readonly dns?: DnsWatch
  readonly gates?: GateWatch
  readonly hooks?: HookRunner
  readonly silences?: SilenceKeeper
  /** Absent: the file does not ask for the lock of kured, or nothing can take it. */
  readonly kuredLock?: KuredLockKeeper
  /** Absent: one node may be out, and nothing is known of cordons. */
  readonly budget?: BudgetWatch
  /** Absent: work is always allowed. */
  readonly windows?: TimeWindowWatch
  readonly reloads: () => readonly ReloadSpan[]
  readonly steps?: () => readonly StepSpan[]
  readonly events: EventLog
  readonly overlay: NodeOverlay
  readonly leaving: LeavingPods
  readonly lastSeen: LastSeen
  readonly returns: ReturnWatch
  readonly clock: Clock
}

/** The node that these passes are for, and what other lanes of this process have in work at the same time. */
export interface Under {
  readonly node: string
  readonly beside?: () => readonly NodeBeside[]
  readonly isLeaving?: () => boolean
  /** Pods that leave, of all lanes. */
  readonly leaving?: () => ReadonlySet<string>
}

type SlotRefusal = Extract<Outcome, { ok: false }>['slot']

/** What the passes before know. */
interface Known {
  readonly evidence?: Evidence
  readonly slot?: SlotRefusal
  /** Of the node under way alone. */
  readonly verdict?: Verdict
  /** As they were last read, if that is still worth something. */
  readonly instances: () => readonly InstanceSnapshot[]
}

type SharedParts = Pick<
  GatherParts,
  'run' | 'clock' | 'events' | 'windows' | 'probe' | 'reloads' | 'steps' | 'gates' | 'hooks' | 'silences' | 'kuredLock'
>

/** What is read in the same way for a node and for a machine. `node`: of which it is known how long it takes. */
export function sharedReadings(parts: SharedParts, node?: string) {
  const { run, clock, events, windows, probe, reloads, steps, gates, hooks, silences, kuredLock } = parts
  return {
    now: clock.monoMs(),
    wall: clock.wallMs(),
    spec: run.spec,
    journalWritable: events.writable,
    reloads: reloads(),
    ...present({
      window: windows?.state(node),
      probe: probe?.status(),
      gates: gates?.readings(),
      hooks: hooks?.states(),
      silences: silences?.states(),
      kuredLock: kuredLock?.state(),
      steps: steps?.(),
    }),
  }
}

/** All reads first: the world as it is, together with what this process has seen of it before. */
export async function gather(
  parts: GatherParts & { readonly under: Under },
  known: Known,
  signal: AbortSignal,
): Promise<RollSnapshot> {
  const { run, view } = parts
  const verdict = verdictFor(run, parts.under.node) ?? known.verdict
  const current = await nodeReading(parts, { ...known, verdict }, signal)
  const budget = parts.budget?.facts()
  const cluster = view.reading()
  return {
    ...sharedReadings(parts, current?.node.name),
    run: nodeRun(run, parts.under, known.verdict),
    ...present({ current }),
    // Also of the node before: until a watch shows that its record is gone, the next one would wait for it.
    cluster: { ...cluster, nodes: parts.overlay.over(cluster.nodes) },
    instances: known.instances(),
    slot: slotReading(parts.keeper, known.slot),
    ...present({ budget }),
    ...(parts.dns === undefined ? {} : { dns: parts.dns.readings() }),
    evidence: evidenceFor(current, known.evidence, parts),
  }
}

async function nodeReading(
  parts: GatherParts & { readonly under: Under },
  { evidence, verdict }: Pick<Known, 'evidence'> & { readonly verdict: Verdict | undefined },
  signal: AbortSignal,
): Promise<NodeReading | undefined> {
  const found = parts.overlay.newest(parts.view.node(parts.under.node))
  const seen = evidence === undefined ? parts.lastSeen.begin(found) : parts.lastSeen.again(evidence.node, found)
  if (seen === undefined) return undefined
  const { node, absent, lostRecord, lostIntent, inItsPlace } = seen
  const recordText = lostRecord ?? node.annotations[RECORD_ANNOTATION]
  const intentText = node.annotations[INTENT_ANNOTATION]
  const record = recordText === undefined ? undefined : recordFrom(node, recordText)
  const isWayBack = record?.ok === true && (node.bootId !== record.value.bootId || verdict !== undefined)
  const isPutBack = evidence?.attachedAt !== undefined && evidence.unattachedAt !== evidence.passedAt
  const returned = isWayBack && !isPutBack ? await parts.returns.ask(node, record.value, signal) : parts.returns.rest()
  return {
    node,
    ...present({ absent }),
    ...(lostRecord === undefined || inItsPlace !== undefined ? {} : { recordLost: true as const }),
    ...present({ record, inItsPlace }),
    ...(intentText === undefined ? {} : { intent: parseRebootIntent(intentText) }),
    ...(lostIntent === undefined ? {} : { intent: { ok: true, value: lostIntent }, intentLost: true as const }),
    ...returned,
  }
}

function evidenceFor(current: NodeReading | undefined, known: Evidence | undefined, parts: GatherParts): Evidence {
  if (known !== undefined && (current === undefined || known.node === current.node.name)) return known
  const fresh = noEvidence(current?.node.name ?? '', parts.clock.wallMs())
  return { ...fresh, ...parts.run.effectsBefore[fresh.node] }
}

/** The run as one of its nodes has it now. `ofNode`: a verdict of that node alone. */
export function nodeRun(
  run: RunState,
  { node, beside, isLeaving, leaving }: Under,
  ofNode: Verdict | undefined,
): RunSnapshot {
  const others = beside?.() ?? []
  const verdict = verdictFor(run, node) ?? ofNode
  return {
    ...runSnapshot(run, { node, beside: others }),
    ...(others.length > 0 && isLeaving?.() === true ? { isLeaving: true } : {}),
    ...present({ verdict, leaving: leaving?.() }),
  }
}

interface OfNode {
  readonly node: string
  readonly beside: readonly NodeBeside[]
}

/** Of the whole run, or as one of its nodes has it. */
export function runSnapshot(run: RunState, of?: OfNode): RunSnapshot {
  const verdict = of === undefined ? run.verdict : verdictFor(run, of.node)
  return {
    id: run.id,
    ...(run.origin?.reason === undefined ? {} : { reason: run.origin.reason }),
    order: run.order,
    done: run.done,
    ...(of === undefined || of.beside.length === 0 ? {} : { beside: of.beside }),
    ...present({ verdict, measuredSince: run.measuredSince, windowsBefore: run.windowsBefore }),
    ...present({ ownPod: run.ownPod, members: run.members }),
  }
}

/** `refusal`: the answer to the last try for the slot. */
export function slotReading(keeper: LeaseKeeper, refusal?: SlotRefusal): SlotReading {
  const state = keeper.state()
  if (state.kind === 'held') return { state: 'mine', mayAct: keeper.mayAct() }
  const owner = state.kind === 'lost' ? state.owner : refusal?.owner
  const holder = {
    ...(owner === undefined ? {} : { holderRun: runOfOwner(owner) }),
    ...present({ holderNode: owner?.node, holderIsMachine: owner?.isMachine }),
  }
  if (state.kind === 'lost') return { state: 'lost', mayAct: false, ...holder }
  if (refusal === undefined) return { state: 'free', mayAct: false }
  return { state: refusal.staleInMs === 0 ? 'stale' : 'other', mayAct: false, ...holder }
}

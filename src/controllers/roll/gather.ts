import type { Evidence } from '../../core/roll/evidence.ts'
import { noEvidence } from '../../core/roll/evidence.ts'
import type { NodeFacts, RollSnapshot, RunFacts, SlotFacts } from '../../core/roll/snapshot.ts'
import type { InstanceFacts } from '../../core/service/instance-facts.ts'
import type { Node } from '../../model/node.ts'
import { INTENT_ANNOTATION, RECORD_ANNOTATION } from '../../model/node-record.ts'
import type { Outcome } from '../../model/outcome.ts'
import { parseRebootIntent } from '../../model/parse-node-record.ts'
import type { ReloadSpan } from '../../model/reload-span.ts'
import { runOfOwner } from '../../model/slot.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Probe } from '../../ports/probe.ts'
import type { LeaseKeeper } from '../../runtime/lease-keeper.ts'
import type { BudgetWatch } from '../budget/budget-watch.ts'
import type { BalancerPoller } from './balancer-poller.ts'
import type { ClusterView } from './cluster-view.ts'
import type { DnsWatch } from './dns-watch.ts'
import type { EventLog } from './event-log.ts'
import type { GateWatch } from './gates/gate-watch.ts'
import type { HookRunner } from './hooks/hook-runner.ts'
import { type LastSeen, recordFrom, recordOf } from './last-seen.ts'
import type { NodeOverlay } from './node-overlay.ts'
import type { ReturnWatch } from './return-watch.ts'
import type { RunState } from './run-state.ts'
import type { SilenceKeeper } from './silences/silence-keeper.ts'

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
  /** Absent: one node may be out, and nothing is known of cordons. */
  readonly budget?: BudgetWatch
  readonly reloads: () => readonly ReloadSpan[]
  readonly events: EventLog
  readonly overlay: NodeOverlay
  readonly lastSeen: LastSeen
  readonly returns: ReturnWatch
  readonly clock: Clock
}

type SlotRefusal = Extract<Outcome, { ok: false }>['slot']

/** What the passes before know. */
interface Known {
  readonly evidence?: Evidence
  readonly slot?: SlotRefusal
  /** As they were last read, if that is still worth something. */
  readonly instances: () => readonly InstanceFacts[]
}

/** All reads first: the world as it is, together with what this process has seen of it before. */
export async function gather(parts: GatherParts, known: Known, signal: AbortSignal): Promise<RollSnapshot> {
  const { run, view, clock } = parts
  const current = await currentFacts(parts, known.evidence, signal)
  const wall = clock.wallMs()
  const budget = parts.budget?.facts()
  return {
    now: clock.monoMs(),
    wall,
    spec: run.spec,
    run: runFacts(run),
    ...(current === undefined ? {} : { current }),
    cluster: view.facts(),
    instances: known.instances(),
    slot: slotFacts(parts.keeper, known.slot),
    ...(budget === undefined ? {} : { budget }),
    journalWritable: parts.events.writable,
    ...(parts.probe === undefined ? {} : { probe: parts.probe.facts() }),
    ...(parts.dns === undefined ? {} : { dns: parts.dns.facts() }),
    ...(parts.gates === undefined ? {} : { gates: parts.gates.facts() }),
    ...(parts.hooks === undefined ? {} : { hooks: parts.hooks.facts() }),
    ...(parts.silences === undefined ? {} : { silences: parts.silences.facts() }),
    reloads: parts.reloads(),
    evidence: evidenceFor(current, known.evidence, parts),
  }
}

/**
 * The node that bears a record of this run, whichever it is (but one that this process has just taken it from: a watch
 * that lags or is cut still shows it, and the node must not be begun again); else the next of the order that there is,
 * while no verdict stands.
 */
export function currentNode(
  parts: Pick<GatherParts, 'run' | 'overlay'> & { readonly view: Pick<ClusterView, 'facts' | 'node'> },
  under: string | undefined,
): Node | undefined {
  const { view, overlay } = parts
  // Looked for only where none is under way: there may be thousands.
  const name = under ?? bearing(parts) ?? next(parts)
  return name === undefined ? undefined : overlay.newest(view.node(name))
}

type Choosing = Parameters<typeof currentNode>[0]

const bearing = ({ run, view }: Choosing): string | undefined =>
  view.facts().nodes.find((node) => recordOf(node)?.run === run.id && !run.settledHere.includes(node.name))?.name

function next({ run, view }: Choosing): string | undefined {
  if (run.verdict !== undefined) return undefined
  const done = new Set(run.done)
  return run.order.find((name) => !done.has(name) && view.node(name) !== undefined)
}

async function currentFacts(
  parts: GatherParts,
  evidence: Evidence | undefined,
  signal: AbortSignal,
): Promise<NodeFacts | undefined> {
  const found = currentNode(parts, evidence?.node)
  const sighting = evidence === undefined ? parts.lastSeen.begin(found) : parts.lastSeen.again(evidence.node, found)
  if (sighting === undefined) return undefined
  const { node, absent, lostRecord } = sighting
  const recordText = lostRecord ?? node.annotations[RECORD_ANNOTATION]
  const intentText = node.annotations[INTENT_ANNOTATION]
  const record = recordText === undefined ? undefined : recordFrom(node, recordText)
  const isWayBack = record?.ok === true && (node.bootId !== record.value.bootId || parts.run.verdict !== undefined)
  const isPutBack = evidence?.attachedAt !== undefined
  const returned = isWayBack && !isPutBack ? await parts.returns.ask(node, record.value, signal) : parts.returns.rest()
  return {
    node,
    ...(absent === undefined ? {} : { absent }),
    ...(lostRecord === undefined ? {} : { recordLost: true as const }),
    ...(record === undefined ? {} : { record }),
    ...(intentText === undefined ? {} : { intent: parseRebootIntent(intentText) }),
    ...returned,
  }
}

function evidenceFor(current: NodeFacts | undefined, known: Evidence | undefined, parts: GatherParts): Evidence {
  if (known !== undefined && (current === undefined || known.node === current.node.name)) return known
  const fresh = noEvidence(current?.node.name ?? '', parts.clock.wallMs())
  return { ...fresh, evicted: parts.run.evictedBefore[fresh.node] ?? {} }
}

export const runFacts = (run: RunState): RunFacts => ({
  id: run.id,
  order: run.order,
  done: run.done,
  ...(run.verdict === undefined ? {} : { verdict: run.verdict }),
  ...(run.measuredSince === undefined ? {} : { measuredSince: run.measuredSince }),
})

function slotFacts(keeper: LeaseKeeper, refusal: SlotRefusal): SlotFacts {
  const state = keeper.state()
  if (state.kind === 'held') return { state: 'mine', mayAct: keeper.mayAct() }
  const owner = state.kind === 'lost' ? state.owner : refusal?.owner
  const holder = {
    ...(owner === undefined ? {} : { holderRun: runOfOwner(owner) }),
    ...(owner?.node === undefined ? {} : { holderNode: owner.node }),
  }
  if (state.kind === 'lost') return { state: 'lost', mayAct: false, ...holder }
  if (refusal === undefined) return { state: 'free', mayAct: false }
  return { state: refusal.staleInMs === 0 ? 'stale' : 'other', mayAct: false, ...holder }
}

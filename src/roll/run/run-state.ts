import { present } from '../../ground/model/present.ts'
import type { RunOrigin } from '../../ground/model/run-origin.ts'
import { toIso, type WallMs } from '../../ground/model/time.ts'
import type { Evidence } from '../decide/evidence.ts'
import type { HookStates } from '../decide/hooks/hook-states.ts'
import { isBegun, type MachineEntry, type MachineMemory, rememberMachine } from '../decide/pair/machine-memory.ts'
import type { EarlierWindow } from '../decide/snapshot.ts'
import { hostNames, type MachinePlace } from '../model/host-pair.ts'
import type { OwnPod } from '../model/own-pod.ts'
import type { NodeResult, RollEvent } from '../model/roll-event.ts'
import type { RollPlan } from '../model/roll-plan.ts'
import type { RollSpec } from '../model/roll-spec.ts'
import type { Verdict } from '../model/verdict.ts'
import type { ApiBefore } from './api-before.ts'
import type { EventLog } from './event-log.ts'
import type { LoadBefore } from './load-before.ts'
import type { RecordBefore } from './nodes-before.ts'

/**
 * One roll as this process carries it: from the plan, or from the journal of a process that is no more. What changes
 * while it is carried (verdict, nodes that are through, baseline) is written by the functions of this file alone.
 */
export interface RunState {
  readonly id: string
  readonly spec: RollSpec
  readonly order: readonly string[]
  /** Which machines said that they need a reboot, where they were asked; absent in a run that is resumed. */
  readonly chosen?: Omit<NodesChosen, 'type'>
  readonly resumed: boolean
  /** Of this process. */
  readonly origin?: RunOrigin
  /** Of this process; absent: it runs in no pod of the cluster. */
  readonly ownPod?: OwnPod
  /** `--once`: what a later process of the same Job finds the run by. */
  readonly onceKey?: string
  readonly done: readonly string[]
  /** Nodes that this process is through with, one way or the other. */
  readonly settledHere: readonly string[]
  readonly verdict: Verdict | undefined
  /** Nodes that the verdict keeps out of service. Absent: none. */
  readonly keepsOut?: readonly string[]
  readonly measuredSince: WallMs | undefined
  /** What an earlier process of this run began last and was not through with: it may be out. */
  readonly underWay?: string
  /** Nodes whose record earlier processes of this run wrote and did not take off. Absent: at most `underWay`. */
  readonly inWorkBefore?: readonly string[]
  /** The verdict is that of an earlier process of this run, which did not finish what follows from it. */
  readonly keepsVerdict?: true
  /** Node → the pods that earlier processes of this run evicted from it, so that none is evicted twice, and the servers that they set out. */
  readonly effectsBefore: Readonly<Record<string, Pick<Evidence, 'evicted' | 'setOut'>>>
  /**
   * The name of this process in the Lease where it has not the run's own journal, only what the nodes bear: it may put them
   * back and nothing else. Absent: it is the run.
   */
  readonly restoresAs?: string
  /** Absent where no process of this run has begun anything. */
  readonly before?: LoadBefore
  /** Absent where no process of this run has seen an outage of the API server. */
  readonly apiBefore?: ApiBefore
  /** What earlier processes of this run saw fail since it was stopped last. Absent where the file has no stop rules. */
  readonly windowsBefore?: readonly EarlierWindow[]
  /**
   * Node → its record, of nodes that earlier processes of this run have changed and not put back. The record goes with a Node that is
   * deleted, and others may take it off.
   */
  readonly recordsBefore?: Readonly<Record<string, RecordBefore>>
  /** Node → how long it is expected to take, by the plan. Absent where no time window asks. */
  readonly estimates?: Readonly<Record<string, number>>
  /** Nodes that had a member of the control plane when the run was planned. Absent: none was seen. */
  readonly members?: RollPlan['members']
  /** The slowest node that earlier processes of this run brought back. */
  readonly slowestMs?: number
  /** As earlier processes of this run left the hooks of the file. Absent: none was begun. */
  readonly hooksBefore?: HookStates['states']
  /** `node name` → id of a silence that an earlier process of this run made. Absent: none. */
  readonly silencesBefore?: Readonly<Record<string, string>>
  /** Machines of the load balancers. Absent: the file has none. */
  readonly hosts?: HostsOfRun
  /** As earlier processes of this run left their nodes. */
  readonly resultsBefore?: Readonly<Record<string, NodeResult>>
}

interface HostsOfRun {
  readonly order: readonly string[]
  readonly done: readonly string[]
  /** Of each that was begun. */
  readonly memory: Readonly<Record<string, MachineMemory>>
}

type NodesChosen = Extract<RollEvent, { readonly type: 'nodes.chosen' }>

type Course = { -readonly [Field in keyof RunState]: RunState[Field] }

interface NodeVerdict {
  /** Whose passes came to it. */
  readonly node: string
  readonly verdict: Verdict
}

/**
 * From now on the roll goes no further, or its verdict says more. In the journal where it is another one than before. What
 * keeps a node out keeps out that node alone.
 */
export function giveVerdict(run: RunState, { node, verdict }: NodeVerdict, events: Pick<EventLog, 'note'>): void {
  const before = run.verdict
  const course: Course = run
  const { keepsOut = [] } = run
  if (verdict.keepOut && !keepsOut.includes(node)) course.keepsOut = [...keepsOut, node]
  const keepOut = verdict.keepOut || keepsOut.length > 0
  const given = keepOut === verdict.keepOut ? verdict : { ...verdict, keepOut }
  course.verdict = given
  if (before !== undefined && verdictKey(before) === verdictKey(given)) return
  events.note('verdict', { verdict: given, ...present({ keepsOut: run.keepsOut }) })
}

/**
 * The verdict of an earlier process stays in force: it stands in the journal before the line that this process has begun, or a process
 * that is killed between the two would leave a run that nothing stops.
 */
export function noteKeptVerdict({ keepsVerdict, verdict, keepsOut }: RunState, events: Pick<EventLog, 'note'>): void {
  if (keepsVerdict === true) events.note('verdict', { verdict, keepsOut, isKept: true })
}

/** What the verdict means for one node: it is kept out only by a verdict that its own passes came to. */
export function verdictFor({ verdict, keepsOut = [] }: RunState, node: string): Verdict | undefined {
  if (verdict?.keepOut !== true || keepsOut.includes(node)) return verdict
  return { ...verdict, keepOut: false }
}

/** What it says of failed requests grows; that alone makes it no other one. */
const verdictKey = ({ kind, keepOut, reasons }: Verdict): string =>
  [kind, keepOut, ...new Set(reasons.map(({ code }) => code))].join(' ')

/** Traffic was green for the whole baseline: from here on a failed request is the roll's. */
export function measuredFrom(run: RunState, wall: WallMs): void {
  const course: Course = run
  course.measuredSince = wall
}

/** This process is through with the node, and so is the run where the node serves again. */
export function nodeEnded(run: RunState, { node, state }: Pick<NodeResult, 'node' | 'state'>): void {
  const course: Course = run
  course.settledHere = [...run.settledHere, node]
  forgetEffects(run, node)
  if (state === 'inService') course.done = [...run.done, node]
}

/** Others have put the node back: what earlier processes did to it is over. */
export function forgetBefore(run: RunState, node: string): void {
  forgetEffects(run, node)
  forgetRecord(run, node)
  const course: Course = run
  course.inWorkBefore = run.inWorkBefore?.filter((name) => name !== node) ?? []
}

/** A node that is begun again after it was put back begins anew. */
function forgetEffects(run: RunState, node: string): void {
  const course: Course = run
  const { [node]: _, ...others } = run.effectsBefore
  course.effectsBefore = others
}

/** From now on the node's record counts as it is on the Node, and not as in the journal. */
export function forgetRecord(run: Pick<RunState, 'recordsBefore'>, node: string): void {
  const course: Pick<Course, 'recordsBefore'> = run
  const { [node]: _, ...records } = run.recordsBefore ?? {}
  course.recordsBefore = records
}

export const memoryOfMachine = ({ hosts }: RunState, host: string): MachineMemory => hosts?.memory[host] ?? {}

/** Machines that the run has begun, and neither finished nor put back. */
export const machinesBegun = (run: RunState): readonly string[] =>
  (run.hosts?.order ?? []).filter((host) => isBegun(memoryOfMachine(run, host)))

/** Machines that the run is not through with, in their order. Of a process that may only put back nodes: none. */
export function machinesLeft({ hosts, spec, restoresAs }: RunState): readonly MachinePlace[] {
  if (hosts === undefined || restoresAs !== undefined) return []
  const places = (spec.hosts?.pairs ?? []).flatMap((pair) => pair.machines.map((host) => ({ pair, host })))
  return places.filter(({ host: { name } }) => hosts.order.includes(name) && !hosts.done.includes(name))
}

export function rememberOfMachine(run: RunState, entry: MachineEntry): void {
  if (run.hosts === undefined) return
  const { memory } = run.hosts
  const course: Course = run
  course.hosts = { ...run.hosts, memory: { ...memory, [entry.host]: rememberMachine(memory[entry.host] ?? {}, entry) } }
}

/** The run is through with a machine that serves again. */
export function machineEnded(run: RunState, { node, state }: NodeResult): void {
  if (run.hosts === undefined || state !== 'inService') return
  const course: Course = run
  course.hosts = { ...run.hosts, done: [...run.hosts.done, node] }
}

/** Of a run that has begun none. `chosen`: of those of the file, the ones that need a reboot; absent: all of them. */
export function hostsOf({ hosts }: RollSpec, chosen?: readonly string[]): Pick<RunState, 'hosts'> {
  if (hosts === undefined) return {}
  return { hosts: { order: hostNames(hosts).filter((name) => chosen?.includes(name) ?? true), done: [], memory: {} } }
}

/** Nodes and machines, in the order in which they are worked on. */
export function allInOrder({ order, hosts, spec }: Pick<RunState, 'order' | 'hosts' | 'spec'>): readonly string[] {
  if (hosts === undefined) return order
  return spec.hosts?.order === 'first' ? [...hosts.order, ...order] : [...order, ...hosts.order]
}

/** What a process of the run says first. */
export const firstEvents = (run: RunState, cluster: string): readonly RollEvent[] => [
  { type: 'roll.started', run: run.id, cluster, nodes: allInOrder(run), resumed: run.resumed, ...run.origin },
  ...(run.chosen === undefined ? [] : [{ type: 'nodes.chosen', ...run.chosen } as const]),
]

interface ChosenByPlan extends Pick<RunState, 'chosen'> {
  /** Machines of the load balancers that are rolled. Absent: all of the file. */
  readonly hostOrder?: readonly string[]
}

/** Which nodes and machines a plan left out and why; nothing where no machine was asked. */
export function chosenBy({ nodes, hosts, skipped }: Pick<RollPlan, 'nodes' | 'hosts' | 'skipped'>): ChosenByPlan {
  const all = [...nodes, ...(hosts ?? []).map(({ host: node, ...rest }) => ({ node, ...rest }))]
  const needed = all.flatMap(({ node, needs }) => (needs === undefined ? [] : [{ node, why: needs }]))
  const hostOrder = hosts === undefined ? {} : { hostOrder: hosts.map(({ host }) => host) }
  return { ...hostOrder, ...(needed.length + skipped.length === 0 ? {} : { chosen: { needed, skipped } }) }
}

/** As this process goes by it: the journal keeps the windows that a person ignores now, for the next process. */
export function withoutWindow(run: RunState): RunState {
  if (run.origin?.windowIgnoredBy === undefined) return run
  const { window: _, ...spec } = run.spec
  return { ...run, spec }
}

/** What a run is to know of its nodes and of the control plane as they were planned. */
export function knownBy({
  nodes,
  members,
}: Pick<RollPlan, 'nodes' | 'members'>): Pick<RunState, 'estimates' | 'members'> {
  const known = nodes.flatMap(({ node, estimateMs }) => (estimateMs === undefined ? [] : [[node, estimateMs] as const]))
  return { ...(known.length === 0 ? {} : { estimates: Object.fromEntries(known) }), ...present({ members }) }
}

/** A run that begins; `suffix` tells it from one that begins within the same second. */
export const newRun = (
  {
    hostOrder,
    ...asked
  }: ChosenByPlan & Pick<RunState, 'spec' | 'order' | 'origin' | 'ownPod' | 'onceKey' | 'estimates' | 'members'>,
  { wall, suffix }: { readonly wall: WallMs; readonly suffix: string },
): RunState => ({
  id: `${toIso(wall).slice(0, 19).replaceAll(/[-:]/g, '')}Z-${suffix}`,
  ...asked,
  ...hostsOf(asked.spec, hostOrder),
  resumed: false,
  done: [],
  settledHere: [],
  verdict: undefined,
  measuredSince: undefined,
  effectsBefore: {},
})

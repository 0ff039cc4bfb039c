import { Wakeup } from '../../ground/loop/wakeup.ts'
import { invariant } from '../../ground/model/invariant.ts'
import { present } from '../../ground/model/present.ts'
import { aborted } from '../../ground/model/until-aborted.ts'
import { WorldError } from '../../ground/model/world-error.ts'
import type { InstanceSnapshot } from '../../service/decide/instance-snapshot.ts'
import type { ServerRef } from '../../service/model/balancer.ts'
import type { LeaseKeeper } from '../../service/run/lease-keeper.ts'
import type { StepSpan } from '../decide/availability/attribution.ts'
import { baselineMissing } from '../decide/baseline.ts'
import { mayRelease } from '../decide/drain/may-be-polite.ts'
import { nodeResult } from '../decide/node-result.ts'
import { hasCurrent } from '../decide/node-snapshot.ts'
import type { RollSnapshot } from '../decide/snapshot.ts'
import type { StopSnapshot } from '../decide/stop/judged-failures.ts'
import { stopUse } from '../decide/stop/stop-rules.ts'
import { awaitsWindow } from '../decide/window/time-windows.ts'
import type { NodeResult, RollEvent } from '../model/roll-event.ts'
import { allResults } from './all-results.ts'
import { outageAfter } from './api-before.ts'
import { BalancerPoller } from './balancer-poller.ts'
import { budgetOfRun } from './budget-of-run.ts'
import { ClusterView } from './cluster-view.ts'
import { DnsWatch } from './dns-watch.ts'
import { endFailures } from './end-failures.ts'
import { endMarks } from './end-marks.ts'
import { EventLog, type EventSink } from './event-log.ts'
import { firstList } from './first-list.ts'
import { firstPolls } from './first-polls.ts'
import { type GatherParts, runSnapshot } from './gather.ts'
import { giveBack } from './give-back.ts'
import { GoneNodes } from './gone-nodes.ts'
import { kuredLockOf } from './kured/lock-keeper.ts'
import { inLanes, Lane, nextDnsWant } from './lane.ts'
import { LastSeen } from './last-seen.ts'
import { LeavingPods } from './leaving-pods.ts'
import { unmeasuredSince } from './load-before.ts'
import { LoadWatch } from './load-watch.ts'
import { NodeOverlay } from './node-overlay.ts'
import { endRequests, hooksOf, type LaneRequests, laneRequests, loopsOf } from './operator-requests.ts'
import { MachineEffects } from './pair/machine-effects.ts'
import type { MachinePass } from './pair/machine-pass.ts'
import { Performer } from './perform.ts'
import { ReloadWatch } from './reload-watch.ts'
import { ReturnWatch } from './return-watch.ts'
import { endOf, type RollEnd } from './roll-end.ts'
import type { RollEngineParts } from './roll-engine-parts.ts'
import { firstEvents, machineEnded, measuredFrom, nodeEnded, noteKeptVerdict, verdictFor } from './run-state.ts'
import { keeperOf } from './slot-keeper.ts'
import { StepSpans } from './step-spans.ts'
import { windowsOfRun } from './time-window-watch.ts'

/** One roll from baseline to end. Every wait is for a change in the world or a time that is due. */
export class RollEngine {
  readonly #parts: RollEngineParts
  readonly #events: EventLog
  readonly #spans = new StepSpans()
  readonly #reloads = new ReloadWatch(() => this.#lanes.flatMap((lane) => lane.mustBeOut()))
  readonly #results = new Map<string, NodeResult>()
  readonly #gone: GoneNodes
  readonly #shared: Omit<GatherParts, 'keeper' | 'lastSeen' | 'returns' | keyof LaneRequests>
  readonly #requests: readonly LaneRequests[]
  readonly #lanes: readonly Lane[]
  readonly #pollers: readonly BalancerPoller[]
  readonly #view: ClusterView
  readonly #keepers: readonly LeaseKeeper[]
  readonly #returns: readonly ReturnWatch[]
  readonly #load: LoadWatch | undefined
  readonly #work = new AbortController()
  readonly #emit = (event: RollEvent): void => this.#events.emit(event)
  readonly #say = (text: string): void => this.#emit({ type: 'warning', text })

  constructor(parts: RollEngineParts) {
    this.#parts = parts
    const { run, cluster, clock, random, journal, firstSeq } = parts
    const onChange = (): void => this.#wake()
    const sink: EventSink = (event) => {
      this.#spans.note(event)
      parts.sink(event)
    }
    this.#events = new EventLog({ journal, clock, sink, firstSeq })
    const outage = outageAfter(run.apiBefore, { clock, events: this.#events })
    this.#view = new ClusterView({ cluster, clock, onChange, services: mayRelease(run.spec.drain), outage })
    // Whatever the file says now, each node that is out has a lane: no other process puts it back.
    const together = run.restoresAs === undefined ? (run.spec.parallel?.nodes ?? 1) : 1
    const lanes = Array.from({ length: Math.max(together, run.inWorkBefore?.length ?? 1) })
    const siblings = (): readonly LeaseKeeper[] => this.#keepers
    this.#keepers = lanes.map(() => keeperOf(run, { cluster, clock, random, onChange, siblings }))
    this.#returns = lanes.map(() => new ReturnWatch({ cluster, dataPort: parts.dataPort, clock, onChange }))
    this.#pollers = this.#makePollers()
    this.#gone = new GoneNodes({ run, view: this.#view, events: this.#events, results: this.#results })
    const requests = { ...parts, events: this.#events, signal: this.#work.signal, onNews: onChange }
    const dnsParts = { spec: run.spec.dns, clock, onNews: onChange, say: this.#say }
    this.#shared = {
      run,
      view: this.#view,
      pollers: this.#pollers,
      reloads: () => this.#reloads.all(),
      steps: () => this.#spans.all(),
      events: this.#events,
      overlay: new NodeOverlay(),
      leaving: new LeavingPods(),
      clock,
      ...present({ probe: parts.probe }),
      ...windowsOfRun(parts),
      ...budgetOfRun({ ...parts, view: this.#view, onNews: onChange, say: this.#say }),
      ...(parts.dns === undefined ? {} : { dns: new DnsWatch({ ...dnsParts, checks: parts.dns }) }),
      ...hooksOf(requests),
      ...kuredLockOf({ ...parts, view: this.#view, events: this.#events, keepers: this.#keepers, onNews: onChange }),
    }
    this.#requests = this.#keepers.map((keeper) => laneRequests({ ...requests, mayAct: () => keeper.mayAct() }))
    this.#lanes = this.#returns.map((returns, index) => this.#makeLane(returns, index))
    this.#load = this.#makeLoad()
  }

  /** `interrupt`: the first Ctrl-C. What is being written is finished; then the end tells where every node stands. */
  async run(interrupt: AbortSignal): Promise<RollEnd> {
    const { run, clusterName, clock } = this.#parts
    const background = this.#background()
    try {
      noteKeptVerdict(run, this.#events)
      for (const event of firstEvents(run, clusterName)) this.#emit(event)
      await Promise.race([this.#roll(interrupt), background])
      const silences = this.#requests.flatMap((requests) => requests.silences ?? [])
      await Promise.race([endRequests({ ...this.#shared, silences, emit: this.#emit }, interrupt), background])
      const marks = endMarks({ ...this.#parts, ...this.#shared, keeper: this.#keeperOf(0) }, this.#work.signal)
      await Promise.all([this.#lastPolls(), marks, this.#shared.dns?.close()])
      const load = this.#load?.tick(true) ?? unmeasuredSince(run.before, clock.wallMs())
      const failures = endFailures(run, this.#stopSnapshot())
      const known = { run, standings: allResults(run, this.#results), gap: await this.#events.gap() }
      const end = endOf({ ...known, interrupted: interrupt.aborted, ...failures })
      this.#emit({ type: 'roll.ended', ...end, ...present({ load }) })
      // It has stopped with a node that must not serve: each poll says what a reload forgot, until interrupted.
      if (end.guarded.length > 0) await Promise.race([aborted(interrupt), background])
      this.#load?.finish()
      return end
    } finally {
      this.#work.abort(new DOMException('the roll is over', 'AbortError'))
      await background.catch(() => undefined)
      await this.#shared.dns?.close()
      await this.#events.close()
    }
  }

  /** Failed requests are reported only with what the balancers say of the time in which they failed. */
  async #lastPolls(): Promise<void> {
    if (this.#load?.hasUnreported() === true)
      await Promise.all(this.#pollers.map((poller) => poller.poll(this.#work.signal)))
    this.#load?.finish()
  }

  async #roll(interrupt: AbortSignal): Promise<void> {
    try {
      await firstList({ ...this.#parts, view: this.#view }, interrupt)
      await firstPolls(this.#shared, interrupt)
      const { run } = this.#parts
      const signals = { work: this.#work.signal, interrupt }
      const [first] = this.#lanes
      await first?.runMachines('begun', signals)
      if (run.spec.hosts?.order === 'first') await first?.runMachines('all', signals)
      await inLanes(this.#lanes, signals)
      await first?.runMachines('all', signals)
      if (run.resumed && run.verdict?.keepOut !== true)
        await giveBack({ ...this.#parts, ...this.#shared, keeper: this.#keeperOf(0), say: this.#say }, interrupt)
    } catch (error) {
      if (!interrupt.aborted) throw error
      for (const { snapshot, machine } of this.#lanes) {
        this.#takeResult(snapshot)
        if (machine !== undefined) this.#results.set(machine.name, machine.result(0))
      }
    }
  }

  /** Traffic was green for the whole baseline: from here on a failed request is the roll's. */
  #baseline(): void {
    const { probe, clock, run } = this.#parts
    if (probe === undefined || run.spec.probe === undefined || run.measuredSince !== undefined) return
    const inWork = this.#lanes.flatMap((lane) => lane.snapshot ?? [])
    if (inWork.length > 0 && inWork.every(awaitsWindow)) return
    const wall = clock.wallMs()
    if (baselineMissing(probe.status(), wall, run.spec).length > 0) return
    measuredFrom(run, wall)
    this.#load?.baselineEnded(wall)
  }

  /** A node is through, restored, or to be kept out. */
  #settled(snapshot: RollSnapshot | undefined): void {
    const ended = this.#takeResult(snapshot)
    if (ended === undefined) return
    this.#resultOf(ended)
    if (verdictFor(this.#parts.run, ended.node)?.keepOut !== true) nodeEnded(this.#parts.run, ended)
  }

  /** A machine is through, restored, or left as it is. */
  #machineSettled(pass: MachinePass): void {
    const ended = pass.result(this.#load?.failedIn(pass.name) ?? 0)
    this.#resultOf(ended)
    machineEnded(this.#parts.run, ended)
  }

  /** Runs beside the passes until the work is over; rejects at once when one of them fails for good. */
  async #background(): Promise<never> {
    const { signal } = this.#work
    const { dns, hooks, probe, kuredLock } = this.#shared
    await Promise.all([
      ...[this.#view, ...this.#keepers, ...this.#returns, ...this.#pollers].map((loop) => loop.run(signal)),
      ...(probe === undefined ? [] : [probe.run(() => this.#probeChanged(), signal)]),
      ...this.#requests.flatMap(loopsOf).map((loop) => loop.run(signal)),
      ...[this.#load, dns, hooks, kuredLock].flatMap((loop) => loop?.run(signal) ?? []),
    ])
    throw new WorldError('the roll lost what it runs on', { code: 'ROLL_BACKGROUND', retry: 'never' })
  }

  #wake(): void {
    for (const lane of this.#lanes) lane.wake()
    this.#shared.kuredLock?.wake()
  }

  #keeperOf(lane: number): LeaseKeeper {
    const keeper = this.#keepers[lane]
    invariant(keeper !== undefined, 'each lane has a keeper of its slot')
    return keeper
  }

  #makeLane(returns: ReturnWatch, index: number): Lane {
    const keeper = this.#keeperOf(index)
    const { run, clock } = this.#parts
    return new Lane({
      ...this.#shared,
      ...this.#requests[index],
      keeper,
      lastSeen: new LastSeen(run),
      returns,
      performer: new Performer({ ...this.#parts, ...this.#shared, run: run.id, keeper }),
      wakeup: new Wakeup(clock),
      others: () => ({ first: this.#lanes.slice(0, index), after: this.#lanes.slice(index + 1) }),
      choosing: () => this.#gone.note(),
      passing: () => this.#baseline(),
      wantDns: () => this.#shared.dns?.want(nextDnsWant(this.#lanes)),
      settled: (snapshot) => this.#settled(snapshot),
      machineSettled: (pass) => this.#machineSettled(pass),
      machineEffects: new MachineEffects({ ...this.#parts, ...this.#shared, keeper }),
      ports: this.#parts,
    })
  }

  #resultOf(result: NodeResult): void {
    this.#results.set(result.node, result)
    this.#load?.tellTotals()
    this.#emit({ type: 'node.ended', standing: result })
  }

  #makePollers(): readonly BalancerPoller[] {
    const { run, balancers, endpoints = [], clock } = this.#parts
    const onPoll = async (isNews: boolean, instance: string): Promise<void> => {
      for (const lane of this.#lanes) await lane.keepDetached(this.#work.signal, instance)
      this.#load?.changed()
      if (isNews) this.#wake()
    }
    const own = (at: InstanceSnapshot): readonly ServerRef[] => this.#lanes.flatMap((lane) => lane.serversOf(at))
    const parts = { clock, own, onPoll, ...this.#reloads.hears }
    return BalancerPoller.all(run.spec.balancers, [...balancers, ...endpoints], parts)
  }

  #makeLoad(): LoadWatch | undefined {
    const { probe, run, clock } = this.#parts
    if (probe === undefined || run.spec.probe === undefined) return undefined
    return new LoadWatch({
      probe,
      spec: run.spec.probe,
      clock,
      steps: (): readonly StepSpan[] => this.#spans.all(),
      reloads: () => this.#reloads.all(),
      answeredSince: (at) => this.#pollers.every((poller) => poller.hasAnsweredSince(at)),
      uses: (isLast) => stopUse(this.#stopSnapshot(), isLast),
      strays: () => this.#lanes.reduce((sum, { strays }) => sum + strays, 0),
      emit: this.#emit,
      ...present({ before: run.before }),
    })
  }

  #stopSnapshot(): StopSnapshot {
    const { run, probe, clock } = this.#parts
    const known = { run: runSnapshot(run), spec: run.spec, wall: clock.wallMs(), steps: this.#spans.all() }
    return { ...known, reloads: this.#reloads.all(), ...(probe === undefined ? {} : { probe: probe.status() }) }
  }

  #probeChanged(): void {
    this.#load?.changed()
    if (this.#parts.run.measuredSince === undefined || this.#load?.isTroubled() !== false) this.#wake()
  }

  #takeResult(snapshot: RollSnapshot | undefined): NodeResult | undefined {
    if (snapshot === undefined || !hasCurrent(snapshot)) return undefined
    const { name } = snapshot.current.node
    const ended = nodeResult(snapshot, this.#spans.stepOf(name), this.#load?.failedIn(name) ?? 0)
    this.#results.set(ended.node, ended)
    return ended
  }
}

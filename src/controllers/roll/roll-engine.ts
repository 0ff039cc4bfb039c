import type { StepSpan } from '../../core/availability/attribution.ts'
import type { InstanceLook } from '../../core/availability/reload-spans.ts'
import { baselineMissing } from '../../core/roll/baseline.ts'
import { dnsWanted } from '../../core/roll/dns/dns-wanted.ts'
import { mayRelease } from '../../core/roll/drain/may-be-polite.ts'
import { hasCurrent } from '../../core/roll/node-snapshot.ts'
import { standing } from '../../core/roll/standing.ts'
import type { InstanceFacts } from '../../core/service/instance-facts.ts'
import type { ServerRef } from '../../model/balancer.ts'
import type { NodeStanding, RollEvent } from '../../model/roll-event.ts'
import { slotRef } from '../../model/slot.ts'
import { WorldError } from '../../model/world-error.ts'
import type { Balancer, BalancerReader } from '../../ports/balancer.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Cluster } from '../../ports/cluster.ts'
import type { ConfigMaps } from '../../ports/config-maps.ts'
import type { DataPort } from '../../ports/data-port.ts'
import type { Host } from '../../ports/host.ts'
import type { Journal } from '../../ports/journal.ts'
import type { Probe } from '../../ports/probe.ts'
import type { Random } from '../../ports/random.ts'
import { LeaseKeeper } from '../../runtime/lease-keeper.ts'
import { Wakeup } from '../../runtime/wakeup.ts'
import { allStandings } from './all-standings.ts'
import { BalancerPoller } from './balancer-poller.ts'
import { budgetOfRun } from './budget-of-run.ts'
import { ClusterView } from './cluster-view.ts'
import { DnsWatch, type RollDnsChecks } from './dns-watch.ts'
import { endFailures } from './end-failures.ts'
import { EventLog, type EventSink } from './event-log.ts'
import { firstList } from './first-list.ts'
import { currentNode, type GatherParts } from './gather.ts'
import { giveBack } from './give-back.ts'
import { GoneNodes } from './gone-nodes.ts'
import { LastSeen } from './last-seen.ts'
import { unmeasuredSince } from './load-before.ts'
import { LoadWatch } from './load-watch.ts'
import { takeOffMarks } from './marks-to-come.ts'
import { NodeOverlay } from './node-overlay.ts'
import { NodePass } from './node-pass.ts'
import { endWishes, operatorWishes, type WishPorts, wantWishes } from './operator-wishes.ts'
import { Performer } from './perform.ts'
import { ReloadWatch } from './reload-watch.ts'
import { ReturnWatch } from './return-watch.ts'
import { endOf, type RollEnd } from './roll-end.ts'
import { firstEvents, measuredFrom, nodeEnded, type RunState } from './run-state.ts'
import { StepSpans } from './step-spans.ts'

interface RollEngineParts extends WishPorts {
  readonly run: RunState
  readonly clusterName: string
  readonly cluster: Cluster
  readonly balancers: readonly Balancer[]
  /** Those that are told by the agents of the nodes. */
  readonly endpoints?: readonly BalancerReader[]
  readonly host: Host
  readonly dataPort: DataPort
  /** Absent: DNS is not asked. They are closed with the roll. */
  readonly dns?: RollDnsChecks
  /** Where the node budget stands; absent: one node may be out. */
  readonly configMaps?: Pick<ConfigMaps, 'read'>
  readonly probe?: Probe
  readonly journal: Journal
  readonly firstSeq: number
  readonly sink: EventSink
  readonly clock: Clock
  readonly random: Random
}

/** The longest that nothing is looked at, whatever a decision asks for. */
const PASS_AT_LEAST_EVERY_MS = 5000

/** One roll from baseline to end. Every wait is for a change in the world or a time that is due. */
export class RollEngine {
  readonly #parts: RollEngineParts
  readonly #wakeup: Wakeup
  readonly #events: EventLog
  readonly #spans = new StepSpans()
  readonly #reloads = new ReloadWatch(() => this.#pass?.mustBeOut() ?? [])
  readonly #standings = new Map<string, NodeStanding>()
  readonly #gone: GoneNodes
  readonly #gather: GatherParts
  readonly #pollers: readonly BalancerPoller[]
  readonly #view: ClusterView
  readonly #keeper: LeaseKeeper
  readonly #load: LoadWatch | undefined
  readonly #performer: Performer
  readonly #work = new AbortController()
  readonly #emit = (event: RollEvent): void => this.#events.emit(event)
  readonly #say = (text: string): void => this.#emit({ type: 'warning', text })
  #pass: NodePass | undefined
  #strays = 0

  constructor(parts: RollEngineParts) {
    this.#parts = parts
    const { run, cluster, clock, random, dataPort } = parts
    const onChange = (): void => this.#wakeup.wake()
    this.#wakeup = new Wakeup(clock)
    const sink: EventSink = (event) => {
      this.#spans.note(event)
      parts.sink(event)
    }
    this.#events = new EventLog({ journal: parts.journal, clock, sink, firstSeq: parts.firstSeq })
    this.#view = new ClusterView({ cluster, clock, onChange, services: mayRelease(run.spec.drain) })
    this.#keeper = new LeaseKeeper({
      cluster,
      clock,
      random,
      slot: (index) => slotRef(run.spec.slots.namespace, index),
      run: run.restoresAs ?? run.id,
      nonce: random.hex(4),
      durationMs: run.spec.slots.leaseDurationMs,
      onChange,
    })
    this.#pollers = this.#makePollers()
    const wishes = operatorWishes({ ...parts, events: this.#events, signal: this.#work.signal, onNews: onChange })
    this.#performer = new Performer({ ...parts, ...wishes, run: run.id, keeper: this.#keeper })
    this.#gone = new GoneNodes({ run, view: this.#view, events: this.#events, standings: this.#standings })
    const say = this.#say
    const dnsParts = { spec: run.spec.dns, clock, onNews: onChange, say }
    this.#gather = {
      run,
      view: this.#view,
      pollers: this.#pollers,
      keeper: this.#keeper,
      reloads: () => this.#reloads.all(),
      events: this.#events,
      overlay: new NodeOverlay(),
      lastSeen: new LastSeen(run),
      returns: new ReturnWatch({ cluster, dataPort, clock, onChange }),
      clock,
      ...(parts.probe === undefined ? {} : { probe: parts.probe }),
      ...budgetOfRun({ ...parts, view: this.#view, onNews: onChange, say }),
      ...(parts.dns === undefined ? {} : { dns: new DnsWatch({ ...dnsParts, checks: parts.dns }) }),
      ...wishes,
    }
    this.#load = this.#makeLoad()
  }

  /** `interrupt`: the first Ctrl-C. What is being written is finished; then the end tells where every node stands. */
  async run(interrupt: AbortSignal): Promise<RollEnd> {
    const { run, clusterName, probe, clock } = this.#parts
    const background = this.#background()
    try {
      for (const event of firstEvents(run, clusterName)) this.#emit(event)
      await Promise.race([this.#roll(interrupt), background])
      await Promise.race([endWishes({ ...this.#gather, emit: this.#emit }, interrupt), background])
      const marks = takeOffMarks({ ...this.#parts, ...this.#gather }, this.#work.signal)
      await Promise.all([this.#lastLook(), marks, this.#gather.dns?.close()])
      const load = this.#load?.tick(true) ?? unmeasuredSince(run.before, clock.wallMs())
      const standings = allStandings(run, this.#standings)
      const failures = endFailures(run, probe?.facts(), this.#reloads.all())
      const end = endOf({ run, standings, interrupted: interrupt.aborted, ...failures })
      this.#emit({ type: 'roll.ended', ...end, ...(load === undefined ? {} : { load }) })
      if (end.guarded.length > 0 && !interrupt.aborted) await Promise.race([this.#guard(interrupt), background])
      this.#load?.finish()
      return end
    } finally {
      this.#work.abort(new DOMException('the roll is over', 'AbortError'))
      await background.catch(() => undefined)
      await this.#gather.dns?.close()
      await this.#events.close()
    }
  }

  /** Nobody is told of failed requests without what the balancers say of the time in which they failed. */
  async #lastLook(): Promise<void> {
    if (this.#load?.hasUntold() === true)
      await Promise.all(this.#pollers.map((poller) => poller.poll(this.#work.signal)))
    this.#load?.finish()
  }

  async #roll(interrupt: AbortSignal): Promise<void> {
    try {
      await firstList({ ...this.#parts, view: this.#view }, interrupt)
      await Promise.all(this.#pollers.map((poller) => poller.poll(interrupt)))
      for (this.#gone.note(); currentNode(this.#gather, undefined) !== undefined; this.#gone.note()) {
        if ((await this.#node(interrupt)) === 'keptOut') return
      }
      if (this.#parts.run.resumed) await giveBack({ ...this.#parts, ...this.#gather, say: this.#say }, interrupt)
    } catch (error) {
      if (!interrupt.aborted) throw error
      this.#takeStanding()
    }
  }

  /** Traffic was green for the whole baseline: from here on a failed request is the roll's. */
  #baseline(): void {
    const { probe, clock, run } = this.#parts
    if (probe === undefined || run.spec.probe === undefined || run.measuredSince !== undefined) return
    const wall = clock.wallMs()
    if (baselineMissing(probe.facts(), wall, run.spec.probe.baselineMs).length > 0) return
    measuredFrom(run, wall)
    this.#load?.baselineEnded(wall)
  }

  /** Passes over one node until it is settled: through, restored, or to be kept out. */
  async #node(interrupt: AbortSignal): Promise<'through' | 'keptOut'> {
    const pass = new NodePass({ ...this.#gather, performer: this.#performer })
    this.#pass = pass
    for (;;) {
      interrupt.throwIfAborted()
      this.#baseline()
      const decision = await pass.pass(this.#work.signal, interrupt)
      this.#gather.dns?.want(pass.snapshot && dnsWanted(pass.snapshot, decision))
      wantWishes(this.#gather, pass.snapshot, decision)
      if (!this.#events.writable) this.#events.note('retry', {})
      if (decision.kind === 'settled') break
      if (decision.kind === 'act') continue
      await this.#wakeup.next(Math.min(decision.recheckAfterMs, PASS_AT_LEAST_EVERY_MS), interrupt)
    }
    const { run } = this.#parts
    const ended = this.#takeStanding()
    if (ended !== undefined) {
      this.#load?.tellTotals()
      this.#emit({ type: 'node.ended', standing: ended })
    }
    if (run.verdict?.keepOut === true) return 'keptOut'
    if (ended !== undefined) nodeEnded(run, ended)
    this.#strays += this.#strayCount()
    this.#pass = undefined
    return 'through'
  }

  /** The roll has stopped with a node that must not serve: each poll says what a reload forgot, until interrupted. */
  async #guard(interrupt: AbortSignal): Promise<void> {
    while (!interrupt.aborted) {
      try {
        await this.#wakeup.next(undefined, interrupt)
      } catch (error) {
        if (!interrupt.aborted) throw error
      }
    }
  }

  /** Runs beside the passes until the work is over; rejects at once when one of them fails for good. */
  async #background(): Promise<never> {
    const { signal } = this.#work
    const { returns, dns, gates, hooks, silences, probe } = this.#gather
    await Promise.all([
      ...[this.#view, this.#keeper, returns, ...this.#pollers].map((loop) => loop.run(signal)),
      ...(probe === undefined ? [] : [probe.run(() => this.#probeChanged(), signal)]),
      ...[this.#load, dns, gates, hooks, silences].flatMap((loop) => loop?.run(signal) ?? []),
    ])
    throw new WorldError('the roll lost what it runs on', { code: 'ROLL_BACKGROUND', retry: 'never' })
  }

  #makePollers(): readonly BalancerPoller[] {
    const { run, balancers, endpoints = [], clock } = this.#parts
    const onPoll = async (isNews: boolean, instance: string): Promise<void> => {
      await this.#pass?.keepDetached(this.#work.signal, instance)
      this.#load?.changed()
      if (isNews) this.#wakeup.wake()
    }
    const onAnswer = (look: InstanceLook): void => this.#reloads.answered(look)
    const own = (facts: InstanceFacts): readonly ServerRef[] => this.#pass?.serversOf(facts) ?? []
    return BalancerPoller.all(run.spec.balancers, [...balancers, ...endpoints], { clock, own, onPoll, onAnswer })
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
      strays: () => this.#strays + this.#strayCount(),
      emit: this.#emit,
      ...(run.before === undefined ? {} : { before: run.before }),
    })
  }

  #probeChanged(): void {
    this.#load?.changed()
    if (this.#parts.run.measuredSince === undefined || this.#load?.isTroubled() !== false) this.#wakeup.wake()
  }

  #strayCount(): number {
    return Object.values(this.#pass?.snapshot?.evidence.detached ?? {}).reduce((sum, seen) => sum + seen.strays, 0)
  }

  #takeStanding(): NodeStanding | undefined {
    const snapshot = this.#pass?.snapshot
    if (snapshot === undefined || !hasCurrent(snapshot)) return undefined
    const ended = standing(
      snapshot,
      this.#spans.stepOf(snapshot.current.node.name),
      this.#load?.failedIn(snapshot.current.node.name) ?? 0,
    )
    this.#standings.set(ended.node, ended)
    return ended
  }
}

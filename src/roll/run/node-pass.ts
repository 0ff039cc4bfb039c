import type { Node } from '../../ground/model/node.ts'
import { present } from '../../ground/model/present.ts'
import { type Workload, workloadKey } from '../../ground/model/workload.ts'
import { actuatorAt } from '../../service/actuators/actuator-of.ts'
import type { InstanceSnapshot } from '../../service/decide/instance-snapshot.ts'
import { mustBeOut } from '../../service/decide/keep-detached.ts'
import { matchNodeServers } from '../../service/decide/match-node-servers.ts'
import { RECHECK_MS } from '../../service/decide/step-answer.ts'
import { type Action, type RemovalAction, removesPod } from '../../service/model/action.ts'
import type { ServerRef } from '../../service/model/balancer.ts'
import type { Outcome } from '../../service/model/outcome.ts'
import type { OutServer } from '../decide/availability/reload-spans.ts'
import type { Evidence } from '../decide/evidence.ts'
import { journalWritable } from '../decide/guards.ts'
import { goneVerdict } from '../decide/node-gone.ts'
import { hasCurrent, type NodeSnapshot } from '../decide/node-snapshot.ts'
import { observe } from '../decide/observe.ts'
import { rememberDecision } from '../decide/remember-decision.ts'
import { evictedPod, rememberOutcome } from '../decide/remember-outcome.ts'
import { requestVerdict } from '../decide/request-verdict.ts'
import { hasLeft, serviceOf } from '../decide/service-of.ts'
import type { RollSnapshot } from '../decide/snapshot.ts'
import type { Decision } from '../model/decision.ts'
import { STEPS } from '../model/step.ts'
import { DecideOnFresh } from './decide-on-fresh.ts'
import { Effects } from './effects.ts'
import { type GatherParts, gather, nodeRun, type Under } from './gather.ts'
import { KeepOutDuty } from './keep-out-duty.ts'
import { instancesOf, stillRight, whyNot } from './last-moment.ts'
import { PassReport } from './pass-report.ts'
import { PassVerdict } from './pass-verdict.ts'
import { type Performer, SLOT_LEFT_STALE } from './perform.ts'

type Act = Extract<Decision, { readonly kind: 'act' }>

interface NodePassParts extends GatherParts {
  readonly under: Under
  readonly performer: Performer
}

const CORDON = STEPS.indexOf('cordon')

/** Cordoned by this decision, or beyond: a hold at the cordon has taken nothing. */
const leaves = (decision: Decision): boolean =>
  decision.kind !== 'settled' &&
  (STEPS.indexOf(decision.step) > CORDON ||
    (decision.kind === 'act' && decision.actions.some(({ kind }) => kind === 'cordon')))

/**
 * The passes over one node: gather, observe, judge, decide, journal, perform, remember. Holds nothing but the evidence,
 * which a new process gathers again.
 */
export class NodePass {
  readonly #parts: NodePassParts
  #evidence: Evidence | undefined
  #slot: Extract<Outcome, { ok: false }>['slot']
  #last: RollSnapshot | undefined
  #isLeaving = false
  readonly #verdict: PassVerdict
  readonly #report: PassReport
  readonly #effects: Effects
  readonly #fresh: DecideOnFresh
  readonly #duty: KeepOutDuty

  constructor(parts: NodePassParts) {
    this.#parts = parts
    this.#report = new PassReport(parts)
    this.#verdict = new PassVerdict(parts.under.node, parts)
    this.#effects = new Effects(parts)
    this.#duty = new KeepOutDuty({ ...parts, effects: this.#effects, now: () => this.#now() })
    this.#fresh = new DecideOnFresh({ ...parts, renewed: (s) => this.#renewed(s) })
  }

  get snapshot(): RollSnapshot | undefined {
    return this.#last
  }

  /** The node is cordoned, or it was decided that it will be: no other node counts on it from then on. */
  get isLeaving(): boolean {
    return this.#isLeaving
  }

  /**
   * One pass. The decision it came to is performed already; where nothing came of it, it is a hold. Rejects with the reason of
   * `interrupt` where that comes while the budget is counted: no node is begun after it.
   */
  async pass(signal: AbortSignal, interrupt: AbortSignal = signal): Promise<Decision> {
    const gathered = await gather(this.#parts, this.#known(), signal)
    const evidence = this.#duty.takeInto(gathered)
    const judged = this.#verdict.judged({ ...gathered, evidence: observe({ ...gathered, evidence }) })
    const { snapshot, decision } = await this.#fresh.decide(judged, AbortSignal.any([signal, interrupt]))
    this.#evidence = rememberDecision(snapshot, decision)
    this.#last = { ...snapshot, evidence: this.#evidence }
    this.#report.decided(snapshot, decision)
    this.#isLeaving ||= leaves(decision) || hasLeft(snapshot)
    const done = decision.kind === 'act' ? await this.#act(snapshot, decision, signal) : decision
    // It has been gone for too long, or was gone when it was given up; or what the operator asked for failed.
    this.#verdict.give(goneVerdict(this.#last) ?? requestVerdict(this.#last))
    if (done.kind === 'settled') this.#noteTime(snapshot)
    return done
  }

  /** Where nothing came of it, the decision is a hold after all: no pass follows at once on one that did nothing. */
  async #act(snapshot: RollSnapshot, decision: Act, signal: AbortSignal): Promise<Decision> {
    // What a verdict takes out again is the keep-out duty's. A node that bears no record any more gives its slot back.
    const isDuty = snapshot.run.verdict?.keepOut === true && decision.step === 'detach'
    if (await (isDuty ? this.#duty.keep(signal) : this.#perform(decision.actions, signal))) return decision
    const { writable } = this.#parts.events
    const reasons = writable ? decision.reasons : journalWritable({ ...snapshot, journalWritable: false })
    return { kind: 'hold', step: decision.step, reasons, recheckAfterMs: RECHECK_MS }
  }

  /** Between passes, after each poll of `instance`: what a reload forgot is said again without waiting for a pass. */
  async keepDetached(signal: AbortSignal, instance: string): Promise<void> {
    await this.#duty.keep(signal, instance)
  }

  /** Those of the node under way at an instance: by its addresses, so that one whose record is not written yet has them too. */
  serversOf(instance: InstanceSnapshot): readonly ServerRef[] {
    const node = this.#last?.current?.node
    return node === undefined ? [] : matchNodeServers(node, [instance]).map(({ reading }) => reading.ref)
  }

  /** What may not serve now, as the last pass left it. */
  mustBeOut(): readonly OutServer[] {
    const last = this.#last
    if (last === undefined || !hasCurrent(last) || this.#evidence === undefined) return []
    const node = last.current.node.name
    return mustBeOut(serviceOf({ ...last, evidence: this.#evidence })).map(({ recorded, reading = recorded }) => ({
      balancer: recorded.balancer,
      instance: recorded.instance,
      backend: recorded.backend,
      address: reading.address,
      node,
    }))
  }

  #known() {
    return {
      instances: () => this.#instances(),
      ...present({ evidence: this.#evidence, slot: this.#slot, verdict: this.#verdict.own }),
    }
  }

  /** From its slot until it served again, where this process saw all of it. */
  #noteTime({ current, evidence, now }: RollSnapshot): void {
    const { run, windows } = this.#parts
    const { slotTakenAt, attachedAt, returned } = evidence
    const isWhole = slotTakenAt !== undefined && attachedAt !== undefined && returned !== undefined
    if (isWhole && run.underWay !== current?.node.name) windows?.measured(now - slotTakenAt)
  }

  /** False where nothing was done, since the journal did not take what was meant. */
  async #perform(actions: readonly Action[], signal: AbortSignal): Promise<boolean> {
    await this.#noteThrough(actions)
    this.#noteEvicting(actions)
    const meant = await this.#effects.begun(actions)
    for (const action of meant)
      if (action.kind === 'writeRecord' && action.asOf !== undefined) this.#parts.hooks?.begin(action.node)
    const poll = (instances?: ReadonlySet<string>): Promise<void> => this.#poll(instances, signal)
    const { leaving } = this.#parts
    const begin = (right: readonly Action[]): void => leaving.begin(right)
    const allowed = await stillRight(meant, { now: () => this.#withProbe(), poll, begin })
    const undone = meant.filter((action) => !allowed.includes(action))
    for (const action of undone.filter(removesPod)) this.#noteStays(action)
    if (undone.length > 0) this.#effects.leftUndone(undone, whyNot(this.#withProbe()))
    const outcomes = await Promise.all(
      allowed.map(async (action) => [action, await this.#effects.do(action, signal)] as const),
    )
    for (const [action, outcome] of outcomes) this.#remember(action, outcome)
    // What is recorded next is to be read while the slot is ours.
    const hasSlot = allowed.some(({ kind }) => kind === 'takeSlot')
    await poll(hasSlot ? undefined : instancesOf(allowed))
    return meant.length > 0
  }

  /** As the last pass left it, with what balancers have said since. */
  #now(): NodeSnapshot | undefined {
    const last = this.#last
    if (last === undefined || !hasCurrent(last) || this.#evidence === undefined) return undefined
    const run = nodeRun(this.#parts.run, this.#parts.under, this.#verdict.own)
    return { ...last, run, ...this.#window(), instances: this.#instances(), evidence: this.#evidence }
  }

  /** As it stands now: a window may close while a journal is slow. */
  #window(): Pick<RollSnapshot, 'window'> {
    const { windows } = this.#parts
    return windows === undefined ? {} : { window: windows.state(this.#last?.current?.node.name) }
  }

  /** With what balancers and the probe have said since, and the time. */
  #renewed(s: RollSnapshot): RollSnapshot {
    const { clock, probe } = this.#parts
    const measured = probe === undefined ? {} : { probe: probe.status() }
    const run = nodeRun(this.#parts.run, this.#parts.under, this.#verdict.own)
    const now = { now: clock.monoMs(), wall: clock.wallMs(), run, ...this.#window() }
    return { ...s, ...now, instances: this.#instances(), ...measured }
  }

  /** The same, with what the probe has measured since. */
  #withProbe(): NodeSnapshot | undefined {
    const [now, probe] = [this.#now(), this.#parts.probe?.status()]
    if (now === undefined || probe === undefined) return now
    return { ...now, now: this.#parts.clock.monoMs(), wall: this.#parts.clock.wallMs(), probe }
  }

  async #poll(instances: ReadonlySet<string> | undefined, signal: AbortSignal): Promise<void> {
    const polled = this.#parts.pollers.filter((poller) => instances?.has(poller.snapshot().instance) ?? true)
    await Promise.all(polled.map((poller) => poller.poll(signal)))
  }

  /** On disk before the node shows nothing of it any more: a node that is through is never rebooted a second time. */
  async #noteThrough(actions: readonly Action[]): Promise<void> {
    const through = actions.find((action) => action.kind === 'removeRecord')
    if (through !== undefined) this.#parts.lastSeen.ends()
    if (through === undefined || this.#evidence?.returned === undefined) return
    this.#parts.events.note('through', { node: through.node })
    await this.#parts.events.flushed()
  }

  /**
   * In the journal before the entry that says what is meant: once the API server has accepted an eviction, a process that is killed
   * can note nothing, and the next one has to wait for the replacement.
   */
  #noteEvicting(actions: readonly Action[]): void {
    const last = this.#last
    if (last === undefined) return
    const isNew = ({ uid }: RemovalAction): boolean => this.#evidence?.evicted[uid] === undefined
    for (const action of actions.filter(removesPod).filter(isNew))
      this.#parts.events.note('evicting', { node: action.node, uid: action.uid, pod: evictedPod(last, action) })
  }

  /** Its eviction was refused, or not sent. One before it, whose answer was lost, may have been accepted. */
  #noteStays({ node, uid }: RemovalAction): void {
    if (this.#evidence?.evicted[uid] === undefined) this.#parts.events.note('evicting', { node, uid })
  }

  #remember(action: Action, outcome: Outcome): void {
    const { events, clock, leaving } = this.#parts
    leaving.answered(action, outcome)
    if (this.#last === undefined || this.#evidence === undefined) return
    const { evicted: before } = this.#evidence
    this.#evidence = rememberOutcome({ ...this.#last, now: clock.monoMs(), evidence: this.#evidence }, action, outcome)
    if (action.kind === 'takeSlot') this.#slot = outcome.ok ? undefined : outcome.slot
    if (!outcome.ok && outcome.code === SLOT_LEFT_STALE) this.#warnOfSlot(action.node, outcome.error)
    if (!removesPod(action)) return
    const evicted = this.#evidence.evicted[action.uid]
    if (outcome.ok) {
      const pod = `${action.namespace}/${action.name}`
      const deleted = action.kind === 'deletePod' ? { deleted: true as const } : {}
      const moved = { node: action.node, pod, stage: action.stage, ...deleted }
      events.emit({ type: 'pod.moved', ...moved, ...wanted(this.#last.cluster.workloads, evicted?.workload) })
    }
    // Asked again and again without an answer, it is noted once.
    const isNew = outcome.ok || before[action.uid] === undefined
    this.#noteStays(action)
    if (evicted !== undefined && isNew) events.note('evicted', { node: action.node, uid: action.uid, pod: evicted })
  }

  #warnOfSlot(node: string, why: string): void {
    const text = `the slot of ${node} is not released (${why}); nobody renews it, so that it is stale and other runs take it`
    this.#parts.events.emit({ type: 'warning', node, text })
  }

  #instances(): readonly InstanceSnapshot[] {
    const { overlay, view, run } = this.#parts
    const newest = (name: string): Node | undefined => overlay.newest(view.node(name))
    return this.#parts.pollers.map((poller) => {
      const read = poller.snapshot()
      return this.#duty.asAnswered(actuatorAt(run.spec.balancers, read.balancer).asAsked(read, newest))
    })
  }
}

/** The workload of a pod that moved, with its number of replicas. */
function wanted(workloads: readonly Workload[], key: string | undefined) {
  const desired = workloads.find((workload) => workloadKey(workload) === key)?.desired
  return key === undefined || desired === undefined ? {} : { workload: key, replicas: desired }
}

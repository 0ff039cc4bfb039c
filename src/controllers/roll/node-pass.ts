import type { OutServer } from '../../core/availability/reload-spans.ts'
import { asAsked } from '../../core/roll/asked-state.ts'
import { drainView } from '../../core/roll/drain/stages.ts'
import { type Evidence, outAnew } from '../../core/roll/evidence.ts'
import { journalWritable } from '../../core/roll/guards.ts'
import { judge, stuckLimitLeftMs } from '../../core/roll/judge.ts'
import { keepDetached } from '../../core/roll/keep-detached.ts'
import { mustBeOut } from '../../core/roll/must-be-out.ts'
import { hasCurrent, type NodeSnapshot } from '../../core/roll/node-snapshot.ts'
import { observe } from '../../core/roll/observe.ts'
import { rememberDecision } from '../../core/roll/remember-decision.ts'
import { rememberOutcome } from '../../core/roll/remember-outcome.ts'
import type { InstanceFacts, RollSnapshot } from '../../core/roll/snapshot.ts'
import { RECHECK_MS } from '../../core/roll/step-rule.ts'
import { type Action, actionKey, isRestoring } from '../../model/action.ts'
import { serverKey } from '../../model/balancer.ts'
import type { Decision } from '../../model/decision.ts'
import { refKey } from '../../model/object-ref.ts'
import type { Outcome } from '../../model/outcome.ts'
import type { MonoMs } from '../../model/time.ts'
import type { Performer } from '../../runtime/perform.ts'
import { decideOnFresh } from './decide-on-fresh.ts'
import { describeAction } from './describe-action.ts'
import { type GatherParts, gather } from './gather.ts'
import { instancesOf, stillRight } from './last-moment.ts'
import { Progress } from './progress.ts'
import { ToldWaits } from './told-waits.ts'

interface NodePassParts extends GatherParts {
  readonly performer: Performer
}

/**
 * The passes over one node: gather, observe, judge, decide, journal, perform, remember. Holds nothing but the evidence,
 * which a new process gathers again.
 */
export class NodePass {
  readonly #parts: NodePassParts
  #evidence: Evidence | undefined
  #slot: Extract<Outcome, { ok: false }>['slot']
  #last: RollSnapshot | undefined
  #progress: Progress | undefined
  #strays = 0
  readonly #putBack = new Set<string>()
  readonly #waits: ToldWaits
  /** Instance → when it was told something between passes; infinite while it is. */
  readonly #told = new Map<string, number>()
  /** Server → the last reading that showed it out: if it serves again, it has done so since then at most. */
  readonly #readOutAt = new Map<string, MonoMs>()
  /** Servers that were found in service between passes and taken out anew; the next pass is to know. */
  readonly #takenOutAnew = new Set<string>()

  constructor(parts: NodePassParts) {
    this.#parts = parts
    this.#waits = new ToldWaits(parts.events)
  }

  get snapshot(): RollSnapshot | undefined {
    return this.#last
  }

  get step() {
    return this.#progress?.step
  }

  /** One pass. The decision it came to is performed already; where the journal refused all of it, it is a hold. */
  async pass(signal: AbortSignal): Promise<Decision> {
    const gathered = await gather(this.#parts, this.#known(), signal)
    const evidence = outAnew(gathered.evidence, this.#takenOutAnew)
    this.#takenOutAnew.clear()
    const judged = this.#judged({ ...gathered, evidence: observe({ ...gathered, evidence }) })
    const { snapshot, decision } = await decideOnFresh(judged, this.#parts.budget, signal)
    this.#evidence = rememberDecision(snapshot, decision)
    this.#last = { ...snapshot, evidence: this.#evidence }
    this.#report(snapshot, decision)
    if (decision.kind !== 'act' || (await this.#perform(decision.actions, signal))) return decision
    const reasons = journalWritable({ ...snapshot, journalWritable: this.#parts.events.writable })
    return { kind: 'hold', step: decision.step, reasons, recheckAfterMs: RECHECK_MS }
  }

  /**
   * Between passes, after each poll of `instance`: what a reload forgot is said again without waiting for a pass. What the
   * next server is told is decided by what the instance says after the last one was told.
   */
  async keepDetached(signal: AbortSignal, instance?: string): Promise<void> {
    const told = new Set<string>()
    for (let now = this.#now(); now !== undefined; now = this.#now()) {
      this.#noteOut(now)
      const lost = keepDetached(now).filter((action) => isAt(action, instance))
      const next = lost.find((action) => !told.has(actionKey(action)))
      if (next === undefined) return
      told.add(actionKey(next))
      await this.#reassert(next, signal)
      if (this.#instances().some((facts) => isAt(next, facts.instance) && facts.silentForMs > 0))
        await this.#poll(instancesOf([next]), signal)
    }
  }

  #noteOut(now: NodeSnapshot): void {
    for (const { ref, instance, reading } of mustBeOut(now)) {
      const isOut = reading !== undefined && reading.ownState !== 'ready'
      if (isOut && instance.reading !== undefined) this.#readOutAt.set(serverKey(ref), instance.reading.at)
    }
  }

  /** What may not serve now, as the last pass left it. */
  mustBeOut(): readonly OutServer[] {
    const last = this.#last
    if (last === undefined || !hasCurrent(last) || this.#evidence === undefined) return []
    const node = last.current.node.name
    return mustBeOut({ ...last, evidence: this.#evidence }).map(({ recorded: { balancer }, ref }) => ({
      balancer,
      instance: ref.instance,
      server: `${ref.backend}/${ref.server}`,
      node,
    }))
  }

  #known() {
    return {
      instances: () => this.#instances(),
      ...(this.#evidence === undefined ? {} : { evidence: this.#evidence }),
      ...(this.#slot === undefined ? {} : { slot: this.#slot }),
    }
  }

  #judged(snapshot: RollSnapshot): RollSnapshot {
    const { run, events } = this.#parts
    const verdict = judge(snapshot)
    if (verdict === undefined || verdict === run.verdict) return snapshot
    const isNews = run.verdict?.kind !== verdict.kind || run.verdict.keepOut !== verdict.keepOut
    run.verdict = verdict
    if (isNews) events.note('verdict', { verdict })
    return { ...snapshot, run: { ...snapshot.run, verdict } }
  }

  /** False where nothing was done, since the journal did not take what was meant. */
  async #perform(actions: readonly Action[], signal: AbortSignal): Promise<boolean> {
    await this.#noteThrough(actions)
    const disruptive = actions.filter((action) => !isRestoring(action))
    const journaled = disruptive.length === 0 || (await this.#parts.events.meant({ actions: disruptive }))
    const meant = journaled ? actions : actions.filter(isRestoring)
    const poll = (instances?: ReadonlySet<string>): Promise<void> => this.#poll(instances, signal)
    const allowed = await stillRight(meant, { now: () => this.#withProbe(), poll })
    const outcomes = await Promise.all(
      allowed.map(async (action) => [action, await this.#parts.performer.perform(action, signal)] as const),
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
    return { ...last, instances: this.#instances(), evidence: this.#evidence }
  }

  /** The same, with what the probe has measured since. */
  #withProbe(): NodeSnapshot | undefined {
    const [now, probe] = [this.#now(), this.#parts.probe?.facts()]
    if (now === undefined || probe === undefined) return now
    return { ...now, now: this.#parts.clock.monoMs(), wall: this.#parts.clock.wallMs(), probe }
  }

  async #poll(instances: ReadonlySet<string> | undefined, signal: AbortSignal): Promise<void> {
    const polled = this.#parts.pollers.filter((poller) => instances?.has(poller.facts().instance) ?? true)
    await Promise.all(polled.map((poller) => poller.poll(signal)))
  }

  /** On disk before the node shows nothing of it any more: a node that is through is never rebooted a second time. */
  async #noteThrough(actions: readonly Action[]): Promise<void> {
    const through = actions.find((action) => action.kind === 'removeRecord')
    if (through === undefined || this.#evidence?.returned === undefined) return
    this.#parts.events.note('through', { node: through.node })
    await this.#parts.events.flushed()
  }

  #remember(action: Action, outcome: Outcome): void {
    const { events, overlay, clock } = this.#parts
    if (this.#last === undefined || this.#evidence === undefined) return
    this.#evidence = rememberOutcome({ ...this.#last, now: clock.monoMs(), evidence: this.#evidence }, action, outcome)
    if (outcome.ok && outcome.node !== undefined) overlay.wrote(outcome.node)
    if (action.kind === 'takeSlot') this.#slot = outcome.ok ? undefined : outcome.slot
    const text = outcome.ok ? describeAction(action) : `${describeAction(action)}: ${outcome.error}`
    events.emit({ type: 'write', node: action.node, action: action.kind, text, ok: outcome.ok })
    if (action.kind === 'evict' && outcome.ok) {
      const pod = `${action.namespace}/${action.name}`
      events.emit({ type: 'pod.moved', node: action.node, pod, stage: action.stage })
      events.note('evicted', { node: action.node, uid: action.uid, pod: this.#evidence.evicted[action.uid] })
    }
  }

  /** What an instance said before the last word that a pass knows nothing of is no answer to it. */
  #instances(): readonly InstanceFacts[] {
    const { overlay, view } = this.#parts
    return this.#parts.pollers.map((poller) => {
      const facts = asAsked(poller.facts(), (name) => overlay.newest(view.node(name)))
      const toldAt = this.#told.get(facts.instance) ?? 0
      return (facts.askedAt ?? 0) >= toldAt ? facts : { ...facts, silentForMs: Math.max(1, facts.silentForMs) }
    })
  }

  async #reassert(action: Action, signal: AbortSignal): Promise<void> {
    const { events, clock } = this.#parts
    if (action.kind !== 'setServer' && action.kind !== 'askAgent') return
    const server = serverKey(action.ref)
    const seen = this.#evidence?.detached[server]
    this.#takenOutAnew.add(server)
    const outcome = await this.#tell(action, signal)
    if (seen === undefined || !outcome.ok) return
    const poller = this.#parts.pollers.find((candidate) => candidate.facts().instance === action.ref.instance)
    const before = this.#readOutAt.get(server) ?? seen.since ?? clock.monoMs()
    await poller?.poll(signal)
    const text = `${server} had lost its state and was set to ${action.state} again`
    events.emit({ type: 'reasserted', node: action.node, server, afterMs: Math.round(clock.monoMs() - before), text })
  }

  async #tell(action: Extract<Action, { kind: 'setServer' | 'askAgent' }>, signal: AbortSignal): Promise<Outcome> {
    const { performer, clock } = this.#parts
    const { instance } = action.ref
    this.#told.set(instance, Number.POSITIVE_INFINITY)
    try {
      return await performer.perform(action, signal)
    } finally {
      this.#told.set(instance, clock.monoMs())
    }
  }

  #report(snapshot: RollSnapshot, decision: Decision): void {
    const { events, run } = this.#parts
    if (!hasCurrent(snapshot)) return
    const node = snapshot.current.node.name
    if (this.#progress === undefined) {
      if (isBaseline(decision)) return
      events.emit({ type: 'node.started', node, index: run.order.indexOf(node) })
      this.#progress = new Progress(node, { events, clock: this.#parts.clock })
    }
    this.#waits.decided(node, snapshot, decision)
    const before = this.#progress.step
    const leftMs = stuckLimitLeftMs(snapshot)
    const onTheWay = run.verdict === undefined
    this.#progress.decided(decision, leftMs === undefined ? { onTheWay } : { onTheWay, limitMs: leftMs })
    if (this.#progress.step === 'drain') this.#reportDrain(snapshot, before !== 'drain')
    this.#reportStrays(snapshot, node)
  }

  #drained: string | undefined
  #reportDrain(snapshot: RollSnapshot, begun: boolean): void {
    if (!hasCurrent(snapshot)) return
    const { left, putBack } = drainView(snapshot)
    this.#reportPutBack(putBack.map(refKey), snapshot.current.node.name)
    const remaining = left[1].length + left[2].length + left[3].length
    const gone = Object.keys(snapshot.evidence.evicted).filter(
      (uid) => !snapshot.cluster.pods.some((pod) => pod.uid === uid),
    ).length
    const stage = left[1].length > 0 ? 1 : left[2].length > 0 ? 2 : 3
    const key = `${stage} ${gone} ${remaining}`
    if (!begun && key === this.#drained) return
    this.#drained = key
    const node = snapshot.current.node.name
    const stages: readonly [number, number] = [stage, snapshot.spec.drain.daemonSets.length > 0 ? 3 : 2]
    this.#parts.events.emit({
      type: 'step.changed',
      node,
      step: 'drain',
      done: gone,
      total: gone + remaining,
      unit: 'pods',
      stage: stages,
    })
  }

  #reportPutBack(pods: readonly string[], node: string): void {
    for (const pod of pods.filter((name) => !this.#putBack.has(name))) {
      this.#putBack.add(pod)
      const text = `${pod} was put back on ${node} by its controller; it is not evicted again and goes down with the node`
      this.#parts.events.emit({ type: 'warning', node, text })
    }
  }

  #reportStrays(snapshot: RollSnapshot, node: string): void {
    const entries = Object.entries(snapshot.evidence.detached)
    const total = entries.reduce((sum, [, seen]) => sum + seen.strays, 0)
    if (total <= this.#strays) return
    const server = entries.find(([, seen]) => seen.strays > 0)?.[0] ?? ''
    this.#parts.events.emit({ type: 'stray', node, server, count: total - this.#strays })
    this.#strays = total
  }
}

const isAt = (action: Action, instance: string | undefined): boolean =>
  instance === undefined || ('ref' in action && action.ref.instance === instance)

/** Nothing was begun: the time that the baseline takes is no node's. */
const isBaseline = (decision: Decision): boolean =>
  decision.kind === 'hold' && decision.reasons.every(({ code }) => code === 'BaselineShort')

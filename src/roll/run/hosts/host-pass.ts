import { present } from '../../../ground/model/present.ts'
import { serverKey } from '../../../service/model/balancer.ts'
import type { StepSpan } from '../../decide/availability/attribution.ts'
import { gateLimitLeftMs } from '../../decide/gates/gates-held.ts'
import { judge } from '../../decide/judge.ts'
import { kuredLockWanted } from '../../decide/kured/lock-taken.ts'
import type { HostDecision, HostEnd } from '../../decide/pair/decide-host.ts'
import { decideHost } from '../../decide/pair/decide-host.ts'
import { HOST_ENTRY, HOST_MEANT, type HostEntry } from '../../decide/pair/host-memory.ts'
import type { HostEvidence, HostSnapshot } from '../../decide/pair/host-snapshot.ts'
import { hasRebooted } from '../../decide/pair/host-snapshot.ts'
import { observeHost, rememberHostDecision, rememberHostOutcome } from '../../decide/pair/observe-host.ts'
import { requestVerdict } from '../../decide/request-verdict.ts'
import type { SlotReading } from '../../decide/snapshot.ts'
import { disruptsHost, type HostAction } from '../../model/host-pair.ts'
import type { ReloadSpan } from '../../model/reload-span.ts'
import type { NodeResult } from '../../model/roll-event.ts'
import type { Verdict } from '../../model/verdict.ts'
import type { Probe } from '../../ports/probe.ts'
import type { BalancerPoller } from '../balancer-poller.ts'
import type { ClusterView } from '../cluster-view.ts'
import type { EventLog } from '../event-log.ts'
import { runFacts, sharedFacts } from '../gather.ts'
import { stillRightForHost } from '../last-moment.ts'
import { recordOf } from '../last-seen.ts'
import { wantWishes } from '../operator-wishes.ts'
import { Progress } from '../progress.ts'
import { allInOrder, giveVerdict, memoryOfHost, type RunState, rememberOfHost, verdictFor } from '../run-state.ts'
import type { TimeWindowWatch } from '../time-window-watch.ts'
import { type HostEffectParts, HostEffects, type HostPlace } from './host-effects.ts'
import { PairWatch } from './pair-watch.ts'

export interface HostPassParts extends HostEffectParts {
  readonly run: RunState
  readonly events: EventLog
  readonly pollers: readonly BalancerPoller[]
  readonly view: ClusterView
  readonly probe?: Probe
  readonly windows?: TimeWindowWatch
  readonly reloads: () => readonly ReloadSpan[]
  readonly steps?: () => readonly StepSpan[]
}

/** The passes over one machine: gather, observe, judge, decide, journal, perform, remember. */
export class HostPass {
  readonly #parts: HostPassParts
  readonly #place: HostPlace
  readonly #effects: HostEffects
  readonly #progress: Progress
  readonly #watch: PairWatch
  #evidence: HostEvidence = {}
  #isTold = false
  #end: HostEnd | undefined
  /** The work on this machine is over, and the roll is not. */
  #verdict: Verdict | undefined

  constructor(parts: HostPassParts, place: HostPlace, onNews: () => void) {
    this.#parts = parts
    this.#place = place
    this.#effects = new HostEffects(parts)
    this.#progress = new Progress(place.host.name, parts)
    this.#watch = new PairWatch({ ...parts, ...place, onNews })
  }

  /** Beside the passes. */
  watch(signal: AbortSignal): Promise<void> {
    return this.#watch.run(signal)
  }

  /** One pass; what it decided is performed already. `hold` where nothing came of it. */
  async pass(signal: AbortSignal): Promise<HostDecision> {
    const { run, events } = this.#parts
    const { name } = this.#place.host
    this.#evidence = observeHost(this.#gather())
    const gathered = this.#gather()
    const verdict = judge(gathered)
    if (verdict !== undefined && verdict !== gathered.run.verdict) {
      if (verdict.ofNode === true) this.#giveUpMachine(verdict)
      else giveVerdict(run, { node: name, verdict }, events)
    }
    const s = this.#gather()
    const decision = decideHost(s)
    this.#evidence = rememberHostDecision(s, decision)
    this.#report(s, decision)
    if (decision.kind === 'settled') this.#settle(decision.end)
    const isDone = decision.kind !== 'act' || (await this.#act(decision.actions, signal))
    this.#wish({ ...s, evidence: this.#evidence }, decision)
    if (isDone) return decision
    return { kind: 'hold', step: decision.step, reasons: decision.reasons, recheckAfterMs: 500 }
  }

  /** What the operator asked for beside the roll itself: what is to be known of it next, and whether it ends the roll. */
  #wish(s: HostSnapshot, decision: HostDecision): void {
    const { run, events } = this.#parts
    wantWishes(this.#parts.wishes, s, decision)
    this.#parts.wishes.kuredLock?.want(this, kuredLockWanted(s, decision))
    const verdict = requestVerdict(s)
    if (verdict !== undefined) giveVerdict(run, { node: s.host.name, verdict }, events)
  }

  /** The time tells a new process as much, so that the journal has it for people alone. */
  #giveUpMachine(verdict: Verdict): void {
    this.#verdict = verdict
    const node = this.#place.host.name
    for (const { text } of verdict.reasons) this.#parts.events.emit({ type: 'warning', text, node })
  }

  /** It was put back, and its turn comes again. */
  get isToCome(): boolean {
    return this.#end === 'restored' && this.#parts.run.verdict === undefined
  }

  standing(failedRequests: number): NodeResult {
    const s = this.#gather()
    const { name } = this.#place.host
    const isOut = this.#end !== 'through' && s.memory.record !== undefined && this.#end !== 'restored'
    const state =
      this.#end === 'through' ? 'inService' : isOut ? 'out' : this.#end === 'restored' ? 'restored' : 'notTouched'
    const step = this.#progress.step
    return {
      node: name,
      state,
      cordoned: false,
      detached: isOut && s.memory.isAway === true,
      podsMoved: 0,
      failedRequests,
      text: standingText(s, state),
      ...present({ step }),
    }
  }

  #report(s: HostSnapshot, decision: HostDecision): void {
    const { events, run } = this.#parts
    const { name } = this.#place.host
    if (!this.#isTold) {
      const isBaseline = decision.kind === 'hold' && decision.reasons.every(({ code }) => code === 'BaselineShort')
      if (isBaseline || decision.kind === 'settled') return
      events.emit({ type: 'node.started', node: name, index: allInOrder(run).indexOf(name) })
      this.#isTold = true
    }
    this.#progress.decided(decision, { onTheWay: false, limitMs: gateLimitLeftMs(s, decision) })
  }

  #settle(end: HostEnd): void {
    this.#end = end
    if (end === 'through' || end === 'restored') this.#remember({ host: this.#place.host.name, ended: end })
  }

  /** False where nothing was done, since the journal did not take what was meant. */
  async #act(actions: readonly HostAction[], signal: AbortSignal): Promise<boolean> {
    const { events, pollers, clock } = this.#parts
    const { name: host } = this.#place.host
    for (const meant of actions) {
      if (!(await this.#isStillRight(meant, signal))) return false
      if (disruptsHost(meant)) {
        const isKept = await events.kept(HOST_MEANT, { host, meant })
        if (!isKept && !this.#isSaidAgain(meant)) return false
        if (isKept) rememberOfHost(this.#parts.run, { host, meant })
        else this.#remember({ host, meant })
      } else if (!isOfSlot(meant)) this.#remember({ host, meant })
      const outcome = await this.#effects.perform(meant, this.#place, signal)
      this.#evidence = rememberHostOutcome({ evidence: this.#evidence, now: clock.monoMs() }, meant, outcome)
      if (isReported(meant)) {
        const why = outcome.ok ? '' : `: ${outcome.error}`
        events.emit({
          type: 'write',
          node: host,
          action: meant.kind,
          text: `${actionText(meant, host)}${why}`,
          ok: outcome.ok,
        })
      }
    }
    if (actions.some(({ kind }) => kind === 'restoreServer' || kind === 'takeSlot'))
      await Promise.all(this.#own(pollers).map((poller) => poller.poll(signal)))
    return true
  }

  /** A machine that failed after its reboot gives its addresses away again, whatever the disk does: the journal knows that they are to come back. */
  #isSaidAgain({ kind }: HostAction): boolean {
    const { isProven, wasAway } = memoryOfHost(this.#parts.run, this.#place.host.name)
    return kind === 'moveAway' && isProven === true && wasAway === true
  }

  /** At the last moment. What is to stay out goes without it: the others carry the traffic, and a machine that hangs is asked for long. */
  async #isStillRight(meant: HostAction, signal: AbortSignal): Promise<boolean> {
    const isLeaving = meant.kind === 'moveAway' && this.#gather().run.verdict === undefined
    if (!isLeaving && meant.kind !== 'reboot') return true
    await Promise.all([
      this.#watch.refresh(signal),
      ...this.#own(this.#parts.pollers).map((poller) => poller.poll(signal)),
    ])
    return stillRightForHost(meant, this.#gather())
  }

  /** The next process is to know of it; where the disk refuses it now, it is written once it takes it. */
  #remember(entry: HostEntry): void {
    this.#parts.events.note(HOST_ENTRY, { ...entry })
    rememberOfHost(this.#parts.run, entry)
  }

  #own(pollers: readonly BalancerPoller[]): readonly BalancerPoller[] {
    const names = new Set(this.#place.pair.machines.flatMap(({ instances }) => instances))
    return pollers.filter((poller) => names.has(poller.facts().instance))
  }

  #gather(): HostSnapshot {
    const { run, view, pollers } = this.#parts
    const { name } = this.#place.host
    const cluster = view.facts()
    const verdict = verdictFor(run, name) ?? this.#verdict
    const { verdict: _, ...facts } = runFacts(run)
    return {
      ...this.#place,
      ...sharedFacts(this.#parts, this.#parts.wishes),
      run: { ...facts, ...present({ verdict }) },
      slot: this.#slot(),
      machines: this.#watch.machines(),
      ...this.#watch.connections(),
      instances: this.#own(pollers).map((poller) => poller.facts()),
      nodesOut: cluster.nodes.filter((node) => recordOf(node) !== undefined).map((node) => node.name),
      cluster: { workloads: cluster.workloads },
      clusterUnknown: cluster.staleForMs > 0 || cluster.unlisted !== undefined,
      memory: memoryOfHost(run, name),
      evidence: this.#evidence,
    }
  }

  #slot(): SlotReading {
    const { keeper } = this.#parts
    const state = keeper.state()
    if (state.kind === 'held') return { state: 'mine', mayAct: keeper.mayAct() }
    return { state: state.kind === 'lost' ? 'lost' : 'free', mayAct: false }
  }
}

/** No process goes by it after a crash: the Lease says who has the slot. */
const isOfSlot = ({ kind }: HostAction): boolean => kind === 'takeSlot' || kind === 'releaseSlot'

/** The hook runner reports how a hook ended, and the record and the proof are steps of their own. */
const isReported = ({ kind }: HostAction): boolean => !['record', 'proven', 'runHook', 'undoHook'].includes(kind)

function actionText(action: HostAction, host: string): string {
  switch (action.kind) {
    case 'takeSlot':
      return 'slot taken'
    case 'releaseSlot':
      return 'slot given back'
    case 'moveAway':
      return `addresses of ${host} moved away`
    case 'moveBack':
      return `addresses of ${host} moved back`
    case 'reboot':
      return `reboot of ${host} sent`
    case 'restoreServer':
      return `${serverKey(action.ref)} set to ${action.state ?? `weight ${action.weight}`}`
    case 'record':
      return `${host} recorded`
    case 'proven':
      return `${host} rebooted`
    case 'runHook':
    case 'undoHook':
      return `hook ${action.hook} of ${host} started`
  }
}

function standingText(s: HostSnapshot, state: NodeResult['state']): string {
  if (state === 'inService') return 'back in service'
  if (state === 'restored') return 'restored as it was'
  if (state === 'notTouched') return 'not touched'
  const addresses =
    s.memory.isAway === true ? 'its addresses are to be on another machine' : 'it may have its addresses'
  if (hasRebooted(s)) return `rebooted, ${addresses}`
  return s.memory.intent === true ? `may be rebooting, ${addresses}` : `not rebooted, ${addresses}`
}

import { present } from '../../../ground/model/present.ts'
import { RECHECK_MS } from '../../../service/decide/step-answer.ts'
import { serverKey } from '../../../service/model/balancer.ts'
import { RECORD_ANNOTATION } from '../../../service/model/node-record.ts'
import { decideMachine, type MachineDecision, type MachineEnd } from '../../decide/pair/decide-machine.ts'
import { MACHINE_ENTRY, MACHINE_MEANT, type MachineEntry } from '../../decide/pair/machine-memory.ts'
import type { MachineEvidence, MachineSnapshot } from '../../decide/pair/machine-snapshot.ts'
import { hasRebooted } from '../../decide/pair/machine-snapshot.ts'
import {
  type MachineOutcome,
  observeMachine,
  rememberMachineDecision,
  rememberMachineOutcome,
} from '../../decide/pair/observe-machine.ts'
import { requestVerdict } from '../../decide/request-verdict.ts'
import { disruptsMachine, type MachineAction, type MachinePlace } from '../../model/host-pair.ts'
import type { NodeResult } from '../../model/roll-event.ts'
import type { BalancerPoller } from '../balancer-poller.ts'
import { type GatherParts, runSnapshot, sharedReadings, slotReading } from '../gather.ts'
import { notRightForMachine } from '../last-moment.ts'
import { PassReport } from '../pass-report.ts'
import { PassVerdict } from '../pass-verdict.ts'
import { rebootWords } from '../reboot-words.ts'
import { machinesBegun, memoryOfMachine, rememberOfMachine } from '../run-state.ts'
import type { MachineEffects } from './machine-effects.ts'
import type { PairWatch } from './pair-watch.ts'

interface MachinePassParts extends GatherParts {
  readonly place: MachinePlace
  readonly effects: MachineEffects
  readonly watch: PairWatch
}

const RELEASE_TRY_MS = 1000

/** The passes over one machine: gather, observe, judge, decide, journal, perform, remember. */
export class MachinePass {
  readonly #parts: MachinePassParts
  readonly #report: PassReport
  readonly #verdict: PassVerdict
  #evidence: MachineEvidence = {}
  #last: MachineSnapshot | undefined
  #end: MachineEnd | undefined

  constructor(parts: MachinePassParts) {
    this.#parts = parts
    this.#report = new PassReport(parts)
    this.#verdict = new PassVerdict(parts.place.host.name, parts)
  }

  get name(): string {
    return this.#parts.place.host.name
  }

  get snapshot(): MachineSnapshot | undefined {
    return this.#last
  }

  /** One pass; what it decided is performed already. `hold` where nothing came of it. */
  async pass(signal: AbortSignal): Promise<MachineDecision> {
    const gathered = this.#gather()
    const s = this.#verdict.judged({ ...gathered, evidence: observeMachine(gathered) })
    const decision = decideMachine(s)
    this.#evidence = rememberMachineDecision(s, decision)
    this.#report.decided(s, decision)
    if (decision.kind === 'settled') this.#settle(decision.end)
    const isDone = decision.kind !== 'act' || (await this.#act(decision.actions, signal))
    this.#last = { ...s, evidence: this.#evidence }
    this.#verdict.give(requestVerdict(this.#last))
    return isDone
      ? decision
      : { kind: 'hold', step: decision.step, reasons: decision.reasons, recheckAfterMs: RECHECK_MS }
  }

  /** The machine was put back, and is begun again later. */
  get isToCome(): boolean {
    return this.#end === 'restored' && this.#parts.run.verdict === undefined
  }

  /** A machine that is left as it is keeps the slot: nothing else is begun beside it. */
  async release(signal: AbortSignal): Promise<void> {
    const { keeper, clock, run } = this.#parts
    const isOut = machinesBegun(run).length > 0
    while (!isOut && keeper.state().kind === 'held') {
      const answer = await keeper.release(signal)
      if (answer.kind === 'unanswered') await clock.sleep(RELEASE_TRY_MS, signal)
    }
  }

  result(failedRequests: number): NodeResult {
    const s = this.#gather()
    const isOut = this.#end !== 'through' && s.memory.record !== undefined && this.#end !== 'restored'
    const state =
      this.#end === 'through' ? 'inService' : isOut ? 'out' : this.#end === 'restored' ? 'restored' : 'notTouched'
    return {
      node: s.host.name,
      state,
      cordoned: false,
      detached: isOut && s.memory.isAway === true,
      podsMoved: 0,
      failedRequests,
      text: resultText(s, state),
      ...present({ step: this.#report.step }),
    }
  }

  #settle(end: MachineEnd): void {
    this.#end = end
    if (end === 'through' || end === 'restored') this.#remember({ host: this.name, ended: end })
  }

  /** False where nothing was done, since the journal did not take what was meant. */
  async #act(actions: readonly MachineAction[], signal: AbortSignal): Promise<boolean> {
    const { events, effects, pollers, clock, place } = this.#parts
    const { name: host } = place.host
    for (const meant of actions) {
      if (!(await this.#isStillRight(meant, signal))) return false
      if (disruptsMachine(meant)) {
        const isKept = await events.kept(MACHINE_MEANT, { host, meant })
        if (!isKept && !this.#isSaidAgain(meant)) return false
        if (isKept) rememberOfMachine(this.#parts.run, { host, meant })
        else this.#remember({ host, meant })
      } else if (!isOfSlot(meant)) this.#remember({ host, meant })
      const outcome = await effects.perform(meant, place, signal)
      this.#evidence = rememberMachineOutcome({ evidence: this.#evidence, now: clock.monoMs() }, meant, outcome)
      if (isReported(meant)) this.#wrote(meant, asWritten(outcome))
    }
    if (actions.some(({ kind }) => kind === 'restoreServer' || kind === 'takeSlot'))
      await Promise.all(this.#own(pollers).map((poller) => poller.poll(signal)))
    return true
  }

  /** A machine that failed after its reboot gives its addresses away again without the disk: the journal has an entry of the first time. */
  #isSaidAgain({ kind }: MachineAction): boolean {
    const { isProven, wasAway } = memoryOfMachine(this.#parts.run, this.#parts.place.host.name)
    return kind === 'moveAway' && isProven === true && wasAway === true
  }

  /**
   * Reads all of the pair once more, and decides again. A machine that is to stay out gives its addresses away without that: a machine
   * that hangs would hold it up, and the others carry the traffic.
   */
  async #isStillRight(meant: MachineAction, signal: AbortSignal): Promise<boolean> {
    const { watch, pollers } = this.#parts
    const isLeaving = meant.kind === 'moveAway' && this.#gather().run.verdict === undefined
    if (!isLeaving && meant.kind !== 'reboot') return true
    await Promise.all([watch.refresh(signal), ...this.#own(pollers).map((poller) => poller.poll(signal))])
    const why = notRightForMachine(meant, this.#gather())
    if (why !== undefined) this.#wrote(meant, { ok: false, why: `not done, since ${why}` })
    return why === undefined
  }

  #wrote(action: MachineAction, { ok, why }: Written): void {
    const text = `${actionText(action, this.name)}${why === undefined ? '' : `: ${why}`}`
    this.#parts.events.emit({ type: 'write', node: this.name, action: action.kind, text, ok })
  }

  /** For the next process. Where the disk refuses the entry now, it is written once the disk takes it. */
  #remember(entry: MachineEntry): void {
    this.#parts.events.note(MACHINE_ENTRY, { ...entry })
    rememberOfMachine(this.#parts.run, entry)
  }

  #own(pollers: readonly BalancerPoller[]): readonly BalancerPoller[] {
    const names = new Set(this.#parts.place.pair.machines.flatMap(({ instances }) => instances))
    return pollers.filter((poller) => names.has(poller.snapshot().instance))
  }

  #gather(): MachineSnapshot {
    const { run, view, keeper, pollers, place, watch } = this.#parts
    const { name } = place.host
    const cluster = view.reading()
    const { verdict: _, ...ofRun } = runSnapshot(run)
    return {
      ...place,
      ...sharedReadings(this.#parts),
      run: { ...ofRun, ...present({ verdict: this.#verdict.now }) },
      slot: slotReading(keeper),
      machines: watch.machines(),
      ...watch.connections(),
      instances: this.#own(pollers).map((poller) => poller.snapshot()),
      nodesOut: cluster.nodes.filter(({ annotations }) => RECORD_ANNOTATION in annotations).map(({ name }) => name),
      cluster: { workloads: cluster.workloads },
      clusterUnknown: cluster.staleForMs > 0 || cluster.unlisted !== undefined,
      memory: memoryOfMachine(run, name),
      evidence: this.#evidence,
    }
  }
}

/** Not in the journal: after a crash the Lease says who has the slot. */
const isOfSlot = ({ kind }: MachineAction): boolean => kind === 'takeSlot' || kind === 'releaseSlot'

/** The hook runner reports how a hook ended, and the record and the proof are steps of their own. */
const isReported = ({ kind }: MachineAction): boolean => !['record', 'proven', 'runHook', 'undoHook'].includes(kind)

interface Written {
  readonly ok: boolean
  /** Absent: it was done, and there is no more to say. */
  readonly why?: string
}

function asWritten({ ok, error, reboot }: MachineOutcome): Written {
  const words = rebootWords(reboot)
  if (words !== undefined) return { ok, why: words.text }
  return ok ? { ok } : { ok, why: error ?? 'it failed' }
}

function actionText(action: MachineAction, host: string): string {
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
      return `reboot command to ${host}`
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

function resultText(s: MachineSnapshot, state: NodeResult['state']): string {
  if (state === 'inService') return 'back in service'
  if (state === 'restored') return 'restored as it was'
  if (state === 'notTouched') return 'not touched'
  const addresses =
    s.memory.isAway === true ? 'its addresses are to be on another machine' : 'it may have its addresses'
  if (hasRebooted(s)) return `rebooted, ${addresses}`
  return s.memory.intent === true ? `may be rebooting, ${addresses}` : `not rebooted, ${addresses}`
}

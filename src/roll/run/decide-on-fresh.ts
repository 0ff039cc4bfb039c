import { waitOf } from '../../ground/model/reason.ts'
import type { MonoMs } from '../../ground/model/time.ts'
import type { Clock } from '../../ground/ports/clock.ts'
import type { Action } from '../../service/model/action.ts'
import type { BudgetWatch } from '../../service/run/budget-watch.ts'
import { decide } from '../decide/decide.ts'
import { baselineGreen } from '../decide/guards.ts'
import type { RollSnapshot } from '../decide/snapshot.ts'
import type { Decision } from '../model/decision.ts'
import type { ClusterView } from './cluster-view.ts'

interface FreshParts {
  readonly budget?: BudgetWatch
  readonly view?: Pick<ClusterView, 'listed'>
  readonly clock: Clock
  /** The same snapshot, with what balancers and the probe have said since, and the time. */
  readonly renewed: (s: RollSnapshot) => RollSnapshot
}

interface Decided {
  readonly snapshot: RollSnapshot
  readonly decision: Decision
}

/** A list of all nodes of a large cluster is no small thing to ask for. */
const COUNT_EVERY_MS = 5_000

/**
 * Decides; what would use up the node budget is decided once more by a budget that was read after it was thought of: before
 * a slot is asked for, and again between the slot and the first touch, when all processes that asked at the same time see each
 * other. The second count is the one that lets a node be touched, so that it also goes by nodes that were listed for it.
 *
 * The first count goes by the watch, until a second one has refused what the watch allowed. From then on the first one goes by
 * a list as well, and no list is made within some seconds of one that refused: else a watch that lags would have a slot
 * taken and given back without end.
 */
export class DecideOnFresh {
  readonly #parts: FreshParts
  /** By these a count has refused what the watch allows. */
  #refusing: { readonly nodes: RollSnapshot['cluster']['nodes']; readonly at: MonoMs } | undefined

  constructor(parts: FreshParts) {
    this.#parts = parts
  }

  /**
   * Rejects with the signal's reason while it reads. A pod that is taken back beside its replacement has its ReplicaSet remove one of
   * the two at once: whether there is one is asked, since a stream that is silent does not show it.
   */
  async decide(s: RollSnapshot, signal: AbortSignal): Promise<Decided> {
    const decided = await this.#byBudget(s, signal)
    if (!does(decided, ({ kind }) => kind === 'giveBackPod') && !awaitsLabels(decided)) return decided
    const listed = await this.#parts.view?.listed(signal)
    if (listed === undefined) return decided
    const { snapshot } = decided
    return decidedOn({ ...snapshot, cluster: { ...snapshot.cluster, ...listed } })
  }

  async #byBudget(s: RollSnapshot, signal: AbortSignal): Promise<Decided> {
    const { budget } = this.#parts
    const first = decidedOn(s)
    if (budget === undefined) return first
    if (!does(first, usesBudget)) return isHeldByBudget(first) ? this.#held(first, budget, signal) : first
    const known = this.#byWhatIsKnown(s, budget)
    if (known !== undefined && !does(known, usesBudget)) return known
    if (this.#refusing === undefined && !does(first, isFirstTouch))
      return decidedOn({ ...s, budget: await budget.read(signal) })
    return this.#recounted(s, budget, signal)
  }

  /** A budget that was never read is no reason to give; later it is read beside the passes, until there is room. */
  async #held(first: Decided, budget: BudgetWatch, signal: AbortSignal): Promise<Decided> {
    if (budget.facts() === undefined)
      return this.#byBudget({ ...first.snapshot, budget: await budget.read(signal) }, signal)
    budget.want(signal)
    return first
  }

  async #recounted(s: RollSnapshot, budget: BudgetWatch, signal: AbortSignal): Promise<Decided> {
    const { clock, renewed } = this.#parts
    const [reading, nodes] = await Promise.all([budget.read(signal), budget.nodes(signal)])
    if ('code' in nodes) return decidedOn({ ...s, budget: { fault: nodes, ...reading } })
    const decided = decidedOn({ ...renewed(s), budget: reading, cluster: { ...s.cluster, nodes } })
    this.#refusing = does(decided, isFirstTouch) ? undefined : { nodes, at: clock.monoMs() }
    return decided
  }

  /** Undefined: the world is to be asked. */
  #byWhatIsKnown(s: RollSnapshot, budget: BudgetWatch): Decided | undefined {
    const unlisted = budget.unlisted()
    if (unlisted !== undefined) return decidedOn({ ...s, budget: unlisted })
    if (this.#refusing === undefined) return undefined
    const { nodes, at } = this.#refusing
    return this.#parts.clock.monoMs() - at < COUNT_EVERY_MS
      ? decidedOn({ ...s, cluster: { ...s.cluster, nodes } })
      : undefined
  }
}

const decidedOn = (snapshot: RollSnapshot): Decided => ({ snapshot, decision: decide(snapshot) })

/**
 * A node that is out already was counted, but a process that resumes it cannot have its slot back while it is not known which
 * slot it was. During the baseline, and while a time window is waited for, no process asks.
 */
const isHeldByBudget = ({ decision, snapshot }: Decided): boolean =>
  decision.kind === 'hold' &&
  decision.reasons.every((reason) => waitOf(reason) !== 'window') &&
  (snapshot.current?.record === undefined || snapshot.budget?.isUnread === true) &&
  baselineGreen(snapshot).length === 0

/** On the way back, for pods that this process has written to. A stream that has lost the change never shows it. */
const awaitsLabels = ({ decision, snapshot: { run, evidence } }: Decided): boolean =>
  decision.kind === 'hold' &&
  decision.step === 'drain' &&
  run.verdict !== undefined &&
  Object.keys(evidence.relabelled ?? {}).length > 0

const does = ({ decision }: Decided, wanted: (action: Action) => boolean): boolean =>
  decision.kind === 'act' && decision.actions.some(wanted)

const usesBudget = (action: Action): boolean => action.kind === 'takeSlot' || isFirstTouch(action)

/** A record that is written again, since its Node was registered anew, stands for a node that is out already. */
const isFirstTouch = (action: Action): boolean => action.kind === 'writeRecord' && action.asOf !== undefined

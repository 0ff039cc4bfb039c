import { Backoff } from '../../ground/loop/backoff.ts'
import { DeadlineError, withDeadline } from '../../ground/loop/deadline.ts'
import type { ConfigMap } from '../../ground/model/config-map.ts'
import type { Node } from '../../ground/model/node.ts'
import type { OutLimit } from '../../ground/model/out-limit.ts'
import { present } from '../../ground/model/present.ts'
import type { Reason } from '../../ground/model/reason.ts'
import type { MonoMs } from '../../ground/model/time.ts'
import { WorldError } from '../../ground/model/world-error.ts'
import type { Clock } from '../../ground/ports/clock.ts'
import type { Cluster } from '../../ground/ports/cluster.ts'
import type { ConfigMaps } from '../../ground/ports/config-maps.ts'
import type { Random } from '../../ground/ports/random.ts'
import { budgetLimit } from '../decide/budget/budget-limit.ts'
import type { BudgetReading } from '../decide/budget/budget-reading.ts'
import { maxOut } from '../decide/budget/max-out.ts'
import type { CordonsThatCount } from '../decide/budget/snapshot.ts'
import { BUDGET_CONFIG_MAP, ONE_OUT } from '../model/budget-object.ts'
import { GRANTS_CONFIG_MAP, GRANTS_KEY, parseGrants } from '../model/cordon-grants.ts'
import { SlotsReader } from './slots-reader.ts'

/** Where the slots and what the budget goes by are. */
interface SlotsPlace {
  readonly namespace: string
  /** Of the grants of the brake; where it is absent, that of the slots. */
  readonly grantsNamespace?: string
  /** So long a slot is looked at before its holder counts as gone. */
  readonly leaseDurationMs: number
}

interface BudgetWatchParts {
  readonly cluster: Pick<Cluster, 'readLease' | 'list'>
  readonly configMaps: Pick<ConfigMaps, 'read'>
  readonly clock: Clock
  readonly random: Random
  readonly slots: SlotsPlace
  /** The file that has the rights it takes. */
  readonly rights: string
  /** How many nodes there are. */
  readonly nodeCount: () => number
  readonly onNews: () => void
  /** A person is to hear of it. */
  readonly say: (text: string) => void
}

const READ_LIMIT_MS = 10_000
/** Beside that for each slot: there may be hundreds, which are read a few at a time. */
const SLOT_LIMIT_MS = 50
/** There may be thousands, in pages. */
const LIST_LIMIT_MS = 30_000
/** While a node is not begun and nothing else asks. */
const LOOK_EVERY_MS = 5_000
const AGAIN_AFTER_MS = 1_000
const LIST_AGAIN = { baseMs: 1_000, capMs: 30_000 }

/**
 * The node budget: how many nodes may be out, which cordons count, and who holds the slots. Read anew before each take.
 *
 * Law: a budget that makes no sense begins nothing, and one that disappears leaves the last known in force.
 */
export class BudgetWatch {
  readonly #parts: BudgetWatchParts
  readonly #reader: SlotsReader
  readonly #said = new Set<string>()
  #facts: BudgetReading | undefined
  /** Several readings may be under way; one that began earlier than what is known replaces nothing. */
  readonly #turns = { begun: 0, known: 0 }
  #readAt: MonoMs | undefined
  #isReading = false
  #limit: OutLimit = ONE_OUT
  #isLimited = false
  #cordons: CordonsThatCount = 'unknown'
  readonly #backoff: Backoff
  #unlisted: { readonly reason: Reason; readonly untilMs: number } | undefined

  constructor(parts: BudgetWatchParts) {
    this.#parts = parts
    const { cluster, clock, random, slots } = parts
    this.#backoff = new Backoff(LIST_AGAIN, random)
    this.#reader = new SlotsReader({ cluster, clock, namespace: slots.namespace, durationMs: slots.leaseDurationMs })
  }

  /** As it was read last. */
  facts(): BudgetReading | undefined {
    return this.#facts
  }

  /** Looks again beside the passes, where the last look is some seconds old. */
  want(signal: AbortSignal): void {
    const { clock, onNews } = this.#parts
    const everyMs = this.#facts?.fault === undefined ? LOOK_EVERY_MS : AGAIN_AFTER_MS
    if (this.#isReading || (this.#readAt !== undefined && clock.monoMs() - this.#readAt < everyMs)) return
    const before = JSON.stringify(this.#facts)
    this.#isReading = true
    this.read(signal)
      .then((facts) => {
        if (JSON.stringify(facts) !== before) onNews()
      })
      .catch((error: unknown) => {
        if (!signal.aborted) throw error
      })
      .finally(() => {
        this.#isReading = false
      })
  }

  /** As of this call or later; where it cannot be read, what was known, with the reason. Rejects with the signal's reason. */
  async read(signal: AbortSignal): Promise<BudgetReading> {
    const { clock, nodeCount } = this.#parts
    const limitMs = READ_LIMIT_MS + SLOT_LIMIT_MS * maxOut(this.#limit, nodeCount())
    const limits = { clock, limitMs, signal, what: 'the reading of the node budget' }
    this.#turns.begun += 1
    const turn = this.#turns.begun
    const facts = await withDeadline(limits, (limited) => this.#read(limited)).catch((error: unknown) => ({
      ...(this.#facts ?? NOTHING_READ),
      limit: this.#limit,
      fault: unread(error),
    }))
    if (this.#facts !== undefined && turn < this.#turns.known) return this.#facts
    this.#turns.known = turn
    this.#facts = facts
    this.#readAt = clock.monoMs()
    return facts
  }

  /**
   * All nodes as of this call or later, for a watch may lag without a sign of it; or why they cannot be listed. A list that
   * failed is asked for again after a pause, and not before. Rejects with the signal's reason.
   */
  async nodes(signal: AbortSignal): Promise<readonly Node[] | Reason> {
    const { clock, cluster } = this.#parts
    const limits = { clock, limitMs: LIST_LIMIT_MS, signal, what: 'the list of the nodes' }
    try {
      const nodes = await withDeadline(limits, (limited) => cluster.list('nodes', limited))
      this.#unlisted = undefined
      this.#backoff.reset()
      return nodes
    } catch (error) {
      const reason = unread(error)
      const pauseMs = this.#backoff.nextMs(error instanceof WorldError ? error.retryAfterMs : undefined)
      this.#unlisted = { reason, untilMs: clock.monoMs() + pauseMs }
      return reason
    }
  }

  /** What is known, with the reason, while a list of the nodes that failed may not be asked for again. */
  unlisted(): BudgetReading | undefined {
    if (this.#unlisted === undefined || this.#parts.clock.monoMs() >= this.#unlisted.untilMs) return undefined
    return { ...(this.#facts ?? NOTHING_READ), fault: this.#unlisted.reason }
  }

  async #read(signal: AbortSignal): Promise<BudgetReading> {
    const { slots, nodeCount } = this.#parts
    // Each is taken when it is told: a value that was answered binds, whatever becomes of the other.
    const [fault] = await Promise.all([
      this.#configMap(
        slots.namespace,
        {
          name: BUDGET_CONFIG_MAP,
          without: this.#isLimited
            ? `maxOut stays ${limitText(this.#limit)}, as it said last`
            : 'one node may be out at a time',
        },
        signal,
      ).then((found) => this.#takeLimit(found)),
      this.#configMap(
        slots.grantsNamespace ?? slots.namespace,
        { name: GRANTS_CONFIG_MAP, without: 'a node that is out by a granted cordon counts once its checks fail' },
        signal,
      ).then((found) => this.#takeGrants(found)),
    ])
    const count = maxOut(this.#limit, nodeCount())
    return {
      limit: this.#limit,
      ...present({ fault }),
      cordons: this.#cordons,
      slots: await this.#reader.read(count, signal),
    }
  }

  async #configMap(
    namespace: string,
    { name, without }: { readonly name: string; readonly without: string },
    signal: AbortSignal,
  ): Promise<ConfigMap | 'forbidden' | undefined> {
    try {
      return await this.#parts.configMaps.read({ namespace, name }, signal)
    } catch (error) {
      if (!(error instanceof WorldError) || error.code !== 'KUBE_FORBIDDEN') throw error
      this.#sayOnce(
        `this identity is not allowed to get ConfigMap ${namespace}/${name}, so ${without}: see ${this.#parts.rights}`,
      )
      return 'forbidden'
    }
  }

  #takeLimit(found: ConfigMap | 'forbidden' | undefined): Reason | undefined {
    const parsed = found === 'forbidden' ? ({ kind: 'absent' } as const) : budgetLimit(found)
    if (parsed.kind === 'invalid') return parsed.reason
    if (found === undefined && this.#isLimited)
      this.#sayOnce(
        `ConfigMap ${this.#parts.slots.namespace}/${BUDGET_CONFIG_MAP} is gone; what it said last stays in force: maxOut ${limitText(this.#limit)}`,
      )
    if (parsed.kind === 'limit') {
      this.#limit = parsed.limit
      this.#isLimited = true
    }
    return undefined
  }

  #takeGrants(found: ConfigMap | 'forbidden' | undefined): void {
    if (found === 'forbidden') return
    const grants = found === undefined ? 'noBrake' : parseGrants(found.data[GRANTS_KEY] ?? '')
    // What makes no sense changes nothing, as in the agents.
    if (grants !== undefined) this.#cordons = grants
    else this.#sayOnce('it is not known which cordons are granted: the ConfigMap of the brake makes no sense')
  }

  #sayOnce(text: string): void {
    if (this.#said.has(text)) return
    this.#said.add(text)
    this.#parts.say(text)
  }
}

/** Before the first reading. */
export const NOTHING_READ: BudgetReading = { limit: ONE_OUT, cordons: 'unknown', isUnread: true, slots: [] }

/** Throws what is no trouble of the world. */
function unread(error: unknown): Reason {
  if (!(error instanceof WorldError) && !(error instanceof DeadlineError)) throw error
  return { code: 'BudgetUnread', text: `the node budget could not be read: ${error.message}` }
}

const limitText = (limit: OutLimit): string => (limit.kind === 'count' ? `${limit.count}` : `${limit.percent}%`)

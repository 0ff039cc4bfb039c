import { Backoff } from '../../ground/loop/backoff.ts'
import { DeadlineError, withDeadline } from '../../ground/loop/deadline.ts'
import { escapeForeign } from '../../ground/model/foreign-text.ts'
import {
  REBOOT_CONDITION,
  REBOOT_CONDITION_EVERY_MS,
  type RebootCondition,
  rebootMessage,
} from '../../ground/model/reboot-condition.ts'
import { toIsoSeconds } from '../../ground/model/time.ts'
import { WorldError } from '../../ground/model/world-error.ts'
import type { Clock } from '../../ground/ports/clock.ts'
import type { Cluster } from '../../ground/ports/cluster.ts'
import type { Log } from '../../ground/ports/log.ts'
import type { Random } from '../../ground/ports/random.ts'
import { type Need, needOf } from '../decide/need.ts'
import type { NeedReading } from '../model/need-reading.ts'
import type { NeedSources } from '../model/need-sources.ts'

interface NeedReporterParts {
  /** The Node of this machine. */
  readonly node: string
  /** Of this machine, as the kernel has it. */
  readonly bootId: string
  readonly sources: NeedSources
  readonly read: () => Promise<NeedReading>
  readonly cluster: Pick<Cluster, 'readNode' | 'setConditions'>
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  /** How often the files are read. */
  readonly everyMs: number
}

const ANSWER_MS = 10_000
const FILES_MS = 30_000
const BACKOFF = { baseMs: 2_000, capMs: 5 * 60_000 }

/**
 * Writes the condition RebootRequired of this machine's Node: where it has changed, after each boot, and each hour, by which
 * others see that it is not forgotten. Reads the Node only before it writes.
 */
export class NeedReporter {
  readonly #parts: NeedReporterParts
  readonly #backoff: Backoff
  #written: Need | undefined
  #dueAt = 0
  #warned: string | undefined

  constructor(parts: NeedReporterParts) {
    this.#parts = parts
    this.#backoff = new Backoff(BACKOFF, parts.random)
  }

  async run(signal: AbortSignal): Promise<never> {
    for (;;) {
      const waitMs = await this.#pass(signal)
      await this.#parts.clock.sleep(waitMs, signal)
    }
  }

  /** Returns how long to wait for the next one: a failure is repeated sooner, and later each time. */
  async #pass(signal: AbortSignal): Promise<number> {
    const { clock, random, everyMs } = this.#parts
    const need = await this.#need(signal)
    const isDue = clock.monoMs() >= this.#dueAt
    if (!isDue && isSame(need, this.#written)) return jittered(everyMs, random)
    try {
      await this.#write(need, signal)
      this.#backoff.reset()
      this.#warned = undefined
      return jittered(everyMs, random)
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof WorldError || error instanceof DeadlineError)) throw error
      this.#warn(`the condition ${REBOOT_CONDITION} cannot be written: ${error.message}`)
      return this.#backoff.nextMs(error instanceof WorldError ? error.retryAfterMs : undefined)
    }
  }

  async #need(signal: AbortSignal): Promise<Need> {
    const { clock, read, sources } = this.#parts
    try {
      const limit = { clock, limitMs: FILES_MS, signal, what: 'the file system' }
      return needOf(await withDeadline(limit, read), sources)
    } catch (error) {
      if (!(error instanceof DeadlineError)) throw error
      return { status: 'Unknown', reason: 'CannotTell', message: error.message }
    }
  }

  /** After a start the Node may show it already, written by an earlier process: its heartbeat is then due as that one had it. */
  async #write(need: Need, signal: AbortSignal): Promise<void> {
    const { node: name, bootId, cluster, clock, random } = this.#parts
    const limit = { clock, limitMs: ANSWER_MS, signal, what: 'the API server' }
    const node = await withDeadline(limit, (limited) => cluster.readNode(name, limited))
    if (node === undefined) throw new WorldError(`there is no Node ${name}`, { code: 'NodeGone', retry: 'backoff' })
    const found = node.rebootRequired
    const message = rebootMessage(need.message, bootId)
    const leftMs = this.#untilDueMs(found)
    const isShown = found?.status === need.status && found.reason === need.reason && found.message === message
    // This process writes by its own time; an earlier one has left its time on the Node.
    const keeps = isShown && leftMs > 0 && this.#written === undefined
    if (!keeps) {
      const { status, reason } = need
      const same = found?.status === status ? { isSameStatus: true as const } : {}
      const condition = { status, reason, message, at: toIsoSeconds(clock.wallMs()), ...same } as const
      const change = { node: name, uid: node.uid, conditions: { [REBOOT_CONDITION]: condition } }
      await withDeadline(limit, (limited) => cluster.setConditions(change, limited))
      this.#parts.log.debug(`${REBOOT_CONDITION} is ${status}: ${escapeForeign(need.message)}`, { node: name })
    }
    this.#written = need
    this.#dueAt = clock.monoMs() + (keeps ? leftMs : jittered(REBOOT_CONDITION_EVERY_MS, random))
  }

  #untilDueMs(found: RebootCondition | undefined): number {
    const at = Date.parse(found?.heartbeat ?? '')
    const leftMs = at + REBOOT_CONDITION_EVERY_MS - this.#parts.clock.wallMs()
    return Number.isNaN(leftMs) || leftMs > REBOOT_CONDITION_EVERY_MS ? 0 : leftMs
  }

  #warn(text: string): void {
    if (this.#warned !== text) this.#parts.log.warn(escapeForeign(text), { node: this.#parts.node })
    this.#warned = text
  }
}

const isSame = (one: Need, other: Need | undefined): boolean =>
  one.status === other?.status && one.reason === other.reason && one.message === other.message

/** Nodes that started together do not write together: three quarters of the time, and up to a quarter more. */
const jittered = (ms: number, random: Random): number => ms * (0.75 + random.next() / 4)

import { Backoff } from '../../ground/loop/backoff.ts'
import { DeadlineError, withDeadline } from '../../ground/loop/deadline.ts'
import { Wakeup } from '../../ground/loop/wakeup.ts'
import { escapeForeign } from '../../ground/model/foreign-text.ts'
import type { Node } from '../../ground/model/node.ts'
import {
  REBOOTER_CONDITION,
  REBOOTER_EVERY_MS,
  type RebooterWord,
  rebooterMessage,
} from '../../ground/model/rebooter-condition.ts'
import type { SeenSlot } from '../../ground/model/slot.ts'
import { toIsoSeconds } from '../../ground/model/time.ts'
import { WorldError } from '../../ground/model/world-error.ts'
import type { Clock } from '../../ground/ports/clock.ts'
import type { Cluster, FollowEvent } from '../../ground/ports/cluster.ts'
import type { Log } from '../../ground/ports/log.ts'
import type { Random } from '../../ground/ports/random.ts'
import { REQUEST_ANNOTATION } from '../../service/model/node-record.ts'
import { type AskedBack, lastWordOn, obey, requestOn, waits } from '../decide/obey.ts'
import { type Door, DoorFault } from '../ports/door.ts'

interface RebooterParts {
  /** The Node of this machine. */
  readonly node: string
  /** Of this machine, as the kernel has it. */
  readonly bootId: string
  readonly door: Door
  readonly cluster: Pick<Cluster, 'readNode' | 'setConditions'>
  /** Follows this Node alone. */
  readonly follow: (sink: (event: FollowEvent<Node>) => void, signal: AbortSignal) => Promise<void>
  readonly slots: (signal: AbortSignal) => Promise<readonly SeenSlot[]>
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
}

const ANSWER_MS = 10_000
const BACKOFF = { baseMs: 1_000, capMs: 60_000 }
/** How often the door is looked at. */
const LOOK_MS = 60_000

/** Answers requests for a reboot of this machine by the condition EvenKeelRebooter of its Node, and carries them out. */
export class Rebooter {
  readonly #parts: RebooterParts
  readonly #wakeup: Wakeup
  readonly #backoff: Backoff
  #askedBack: AskedBack | undefined
  /** Of a door that has failed, until it is on the Node in the place of RebootSent. */
  #undone: RebooterWord | undefined
  #seen: string | undefined
  #dueAt = 0
  #warned: string | undefined

  constructor(parts: RebooterParts) {
    this.#parts = parts
    this.#wakeup = new Wakeup(parts.clock)
    this.#backoff = new Backoff(BACKOFF, parts.random)
  }

  async run(signal: AbortSignal): Promise<void> {
    await Promise.race([this.#parts.follow((event) => this.#take(event), signal), this.#passes(signal)])
  }

  /** Shows that this process has ended, where it can. */
  async end(signal: AbortSignal): Promise<void> {
    const { bootId, clock, node: name, cluster } = this.#parts
    const limit = { clock, limitMs: ANSWER_MS, signal, what: 'the API server' }
    const node = await withDeadline(limit, (limited) => cluster.readNode(name, limited))
    if (node !== undefined && this.#undone !== undefined) return this.#write(node, this.#undone, signal)
    const request = node === undefined ? undefined : requestOn(node)
    if (node === undefined || (request !== undefined && lastWordOn(node, request.id, bootId) !== undefined)) return
    await this.#write(node, { reason: 'Stopped', text: 'the rebooter has ended', bootId }, signal)
  }

  /** Nodes change each few seconds: only another request is a reason to look. */
  #take(event: FollowEvent<Node>): void {
    const node = event.type === 'applied' ? event.object : event.type === 'listed' ? event.objects[0] : undefined
    if (node === undefined) return
    const text = node.annotations[REQUEST_ANNOTATION] ?? ''
    if (text === this.#seen) return
    this.#seen = text
    this.#wakeup.wake()
  }

  async #passes(signal: AbortSignal): Promise<never> {
    for (;;) await this.#wakeup.next(await this.#pass(signal), signal)
  }

  /** Returns how long to wait for the next one. */
  async #pass(signal: AbortSignal): Promise<number> {
    try {
      await this.#look(signal)
      this.#backoff.reset()
      this.#warned = undefined
      return LOOK_MS * (0.75 + this.#parts.random.next() / 4)
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof WorldError || error instanceof DeadlineError)) throw error
      // Somebody has written to the Node since it was read: it is read and decided anew.
      const isConflict = error instanceof WorldError && error.code === 'KUBE_CONFLICT'
      if (!isConflict) this.#warn(`the API server is not heard: ${error.message}`)
      return this.#backoff.nextMs(error instanceof WorldError ? error.retryAfterMs : undefined)
    }
  }

  async #look(signal: AbortSignal): Promise<void> {
    const { node: name, bootId, door, cluster, clock, random } = this.#parts
    const limit = { clock, limitMs: ANSWER_MS, signal, what: 'the API server' }
    const node = await withDeadline(limit, (limited) => cluster.readNode(name, limited))
    if (node === undefined) throw new WorldError(`there is no Node ${name}`, { code: 'NodeGone', retry: 'backoff' })
    if (this.#undone !== undefined) return this.#takeBack(node, this.#undone, signal)
    const request = requestOn(node)
    const isOpen = request !== undefined && lastWordOn(node, request.id, bootId) === undefined
    const fault = await door.fault()
    const slots = isOpen ? await withDeadline(limit, (limited) => this.#parts.slots(limited)) : []
    const askedBack = this.#askedBack
    const decision = obey({
      node,
      bootId,
      slots,
      now: clock.monoMs(),
      ...(fault === undefined ? {} : { fault }),
      ...(askedBack === undefined ? {} : { askedBack }),
    })
    if (decision.kind === 'say') return this.#say(node, decision.word, signal)
    if (decision.kind === 'askBack') {
      this.#askedBack = { request: decision.request, word: random.hex(8), at: clock.monoMs() }
      return this.#say(node, waits(this.#askedBack, bootId), signal)
    }
    await this.#write(node, decision.word, signal)
    this.#askedBack = undefined
    await this.#reboot(node, decision.word, signal)
  }

  /**
   * The word is on the Node by now. A process that ends before the door is used leaves a word that is not true, and the roll asks again
   * by another request: a second reboot is never the result.
   */
  async #reboot(node: Node, word: RebooterWord, signal: AbortSignal): Promise<void> {
    const { bootId, door, log } = this.#parts
    log.warn('the machine is told to reboot', { node: node.name, request: word.request, boot: bootId })
    try {
      await door.use(bootId, signal)
    } catch (error) {
      if (!(error instanceof DoorFault)) throw error
      this.#warn(error.message)
      this.#undone = { ...word, reason: 'Refused', text: error.message }
      await this.#takeBack(node, this.#undone, signal)
    }
  }

  async #takeBack(node: Node, undone: RebooterWord, signal: AbortSignal): Promise<void> {
    await this.#write(node, undone, signal)
    this.#undone = undefined
    // There may be another request by now.
    this.#wakeup.wake()
  }

  async #say(node: Node, word: RebooterWord, signal: AbortSignal): Promise<void> {
    const { rebooter } = node
    const isShown = rebooter?.reason === word.reason && rebooter.message === rebooterMessage(word)
    if (isShown && this.#parts.clock.monoMs() < this.#dueAt) return
    await this.#write(node, word, signal)
  }

  /** RebootSent only where nobody has written to the Node since it was read. */
  async #write(node: Node, word: RebooterWord, signal: AbortSignal): Promise<void> {
    const { cluster, clock, random } = this.#parts
    const status = word.reason === 'DoorBroken' || word.reason === 'Stopped' ? 'False' : 'True'
    const same = node.rebooter?.status === status ? { isSameStatus: true as const } : {}
    const at = toIsoSeconds(clock.wallMs())
    const condition = { status, reason: word.reason, message: rebooterMessage(word), at, ...same } as const
    const version = word.reason === 'RebootSent' ? { resourceVersion: node.resourceVersion } : {}
    const conditions = { [REBOOTER_CONDITION]: condition }
    const change = { node: node.name, uid: node.uid, conditions, ...version }
    const limit = { clock, limitMs: ANSWER_MS, signal, what: 'the API server' }
    await withDeadline(limit, (limited) => cluster.setConditions(change, limited))
    this.#dueAt = clock.monoMs() + REBOOTER_EVERY_MS * (0.75 + random.next() / 4)
  }

  #warn(text: string): void {
    if (this.#warned !== text) this.#parts.log.warn(escapeForeign(text), { node: this.#parts.node })
    this.#warned = text
  }
}

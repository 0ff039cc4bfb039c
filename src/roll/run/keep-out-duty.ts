import type { MonoMs } from '../../ground/model/time.ts'
import type { Clock } from '../../ground/ports/clock.ts'
import { outAnew } from '../../service/decide/evidence.ts'
import type { InstanceSnapshot } from '../../service/decide/instance-snapshot.ts'
import { keepDetached, mustBeOut, wasOutBefore } from '../../service/decide/keep-detached.ts'
import { seenOut } from '../../service/decide/node-servers.ts'
import { actionKey, type TrafficAction } from '../../service/model/action.ts'
import { serverKey } from '../../service/model/balancer.ts'
import type { Outcome } from '../../service/model/outcome.ts'
import type { Evidence } from '../decide/evidence.ts'
import type { NodeSnapshot } from '../decide/node-snapshot.ts'
import { rememberOutcome } from '../decide/remember-outcome.ts'
import { serviceOf } from '../decide/service-of.ts'
import type { RollSnapshot } from '../decide/snapshot.ts'
import type { BalancerPoller } from './balancer-poller.ts'
import type { Effects } from './effects.ts'
import type { EventLog } from './event-log.ts'

interface Saying {
  readonly action: TrafficAction
  readonly isPass: boolean
}

interface KeepOutDutyParts {
  readonly effects: Effects
  readonly events: EventLog
  readonly pollers: readonly BalancerPoller[]
  readonly clock: Clock
  /** The node under way as the last pass left it, with what balancers have said since; absent where there is none. */
  readonly now: () => NodeSnapshot | undefined
}

/**
 * Law: what keeps a node out is said in one way, in a pass and between two.
 * Law: a node that is out is said to be out within a second of a reload, whatever the disk does.
 * Law: a server that its run never had out is taken out once the journal has it on disk.
 *
 * To say a state again that this run had a server in begins nothing: the journal names it once more, and no disk is waited
 * for. A machine that others rebooted, and whose servers this process never saw out, is taken out for the first time.
 */
export class KeepOutDuty {
  readonly #parts: KeepOutDutyParts
  /** Instance → when a command was sent to it that no pass knows of; infinite while it is sent. */
  readonly #sentAt = new Map<string, number>()
  /** Server → the last reading that showed it out: if it serves again, it has done so since then at most. */
  readonly #readOutAt = new Map<string, MonoMs>()
  /** Action key → what it was refused with last. */
  readonly #refusals = new Map<string, string>()
  /** Servers that were found in service and taken out anew; the next pass is to know. */
  readonly #takenOut = new Set<string>()
  /** Action key → what was answered since the last pass began. */
  readonly #answers = new Map<
    string,
    { readonly action: TrafficAction; readonly outcome: Outcome; readonly at: MonoMs }
  >()

  constructor(parts: KeepOutDutyParts) {
    this.#parts = parts
  }

  /**
   * Repeats the commands to one instance after each poll of it, or to all. The command to each server is decided by what the instance
   * answers after the command to the one before. False: no command was due, or one had to wait for the disk, and the disk refused.
   */
  async keep(signal: AbortSignal, instance?: string): Promise<boolean> {
    const { now, pollers } = this.#parts
    const tried = new Set<string>()
    let isWritten = true
    for (let s = now(); s !== undefined; s = now()) {
      this.#noteOut(s)
      const lost = keepDetached(serviceOf(s)).filter(({ ref }) => instance === undefined || ref.instance === instance)
      const next = lost.find((action) => !tried.has(actionKey(action)))
      if (next === undefined) break
      tried.add(actionKey(next))
      const poller = pollers.find((candidate) => candidate.snapshot().instance === next.ref.instance)
      const begun = await this.#begin(s, next)
      isWritten &&= begun !== 'refused'
      if (begun === 'refused') continue
      if (begun === 'first') await poller?.poll(signal)
      if (begun === 'again' || this.#isLost(next))
        await this.#say(s, { action: next, isPass: instance === undefined }, signal)
      if (poller !== undefined && this.asAnswered(poller.snapshot()).silentForMs > 0) await poller.poll(signal)
    }
    return isWritten && tried.size > 0
  }

  /** A reading from before the last command that no pass knows of does not show what that command did. */
  asAnswered(instance: InstanceSnapshot): InstanceSnapshot {
    const isAnswer = (instance.askedAt ?? 0) >= (this.#sentAt.get(instance.instance) ?? 0)
    return isAnswer ? instance : { ...instance, silentForMs: Math.max(1, instance.silentForMs) }
  }

  /** The commands since the last pass began and their answers, folded into its evidence. */
  takeInto(s: RollSnapshot): Evidence {
    const answers = [...this.#answers.values()]
    const evidence = outAnew(s.evidence, this.#takenOut)
    this.#answers.clear()
    this.#takenOut.clear()
    return answers.reduce(
      (known, { action, outcome, at }) => rememberOutcome({ ...s, now: at, evidence: known }, action, outcome),
      evidence,
    )
  }

  /** A command that is tried once more after a refusal is in the journal already. */
  async #begin(s: NodeSnapshot, action: TrafficAction): Promise<'again' | 'first' | 'refused'> {
    const { effects } = this.#parts
    if (!wasOutBefore(serviceOf(s), action.ref)) return (await effects.begun([action])).length > 0 ? 'first' : 'refused'
    if (!this.#refusals.has(actionKey(action))) effects.again(action)
    return 'again'
  }

  /** The disk took its time: whether the command is still due is decided again. */
  #isLost(action: TrafficAction): boolean {
    const s = this.#parts.now()
    return s !== undefined && keepDetached(serviceOf(s)).some((lost) => actionKey(lost) === actionKey(action))
  }

  async #say(s: NodeSnapshot, { action, isPass }: Saying, signal: AbortSignal): Promise<void> {
    const { events, clock, pollers } = this.#parts
    const server = serverKey(action.ref)
    this.#takenOut.add(server)
    const outcome = await this.#tell(action, isPass, signal)
    const since = this.#outSince(s, action)
    if (since === undefined || !outcome.ok) return
    await pollers.find((poller) => poller.snapshot().instance === action.ref.instance)?.poll(signal)
    const text = `${server} had lost its state and was set to ${action.state} again`
    const afterMs = Math.round(clock.monoMs() - since)
    events.emit({ type: 'reasserted', node: action.node, server, afterMs, text })
  }

  /** A refusal makes a pass wait before it tries again; between passes the next poll does, since a second is all there is. */
  async #tell(action: TrafficAction, isPass: boolean, signal: AbortSignal): Promise<Outcome> {
    const { effects, clock } = this.#parts
    const { instance } = action.ref
    const key = actionKey(action)
    this.#sentAt.set(instance, Number.POSITIVE_INFINITY)
    try {
      const outcome = await effects.do(action, signal, this.#refusals.get(key))
      if (outcome.ok) this.#refusals.delete(key)
      else this.#refusals.set(key, outcome.error)
      if (outcome.ok || isPass) this.#answers.set(key, { action, outcome, at: clock.monoMs() })
      return outcome
    } finally {
      this.#sentAt.set(instance, clock.monoMs())
    }
  }

  #noteOut(s: NodeSnapshot): void {
    for (const { ref, instance, reading } of mustBeOut(serviceOf(s))) {
      const isOut = reading !== undefined && reading.ownState !== 'ready'
      if (isOut && instance.reading !== undefined) this.#readOutAt.set(serverKey(ref), instance.reading.at)
    }
  }

  /** Undefined where nothing was lost: it was not seen out, or the roll itself has put it in since. */
  #outSince(s: NodeSnapshot, { ref }: TrafficAction): MonoMs | undefined {
    const service = serviceOf(s)
    const { attachingSince } = s.evidence
    const server = mustBeOut(service).find((known) => serverKey(known.ref) === serverKey(ref))
    if (server === undefined) return undefined
    const seen = seenOut(service, server)
    if (seen === undefined) return undefined
    const [readAt] = [ref, server.recorded].flatMap((name) => this.#readOutAt.get(serverKey(name)) ?? [])
    const outAt = readAt ?? seen.since ?? this.#parts.clock.monoMs()
    return attachingSince !== undefined && outAt < attachingSince ? undefined : outAt
  }
}

import { agentCheckLine, type CheckerSpec } from '../../core/agent/agent-check-line.ts'
import { type AgentDecision, decide } from '../../core/agent/decide.ts'
import { type AgentEvidence, noEvidence } from '../../core/agent/evidence.ts'
import { keptMaintenance } from '../../core/agent/kept-maintenance.ts'
import { formatMemory, parseMemory } from '../../core/agent/memory.ts'
import { observe } from '../../core/agent/observe.ts'
import { parseOverride } from '../../core/agent/parse-override.ts'
import type { AgentSnapshot, AgentSpec } from '../../core/agent/snapshot.ts'
import type { Answer } from '../../model/answer.ts'
import { canonicalAddress } from '../../model/ip-address.ts'
import { type KeptMaintenance, parseKeptMaintenance } from '../../model/kept-maintenance.ts'
import type { NodeFacts } from '../../model/node-facts.ts'
import { OVER } from '../../model/over.ts'
import type { MonoMs } from '../../model/time.ts'
import { WorldError } from '../../model/world-error.ts'
import type { AgentFile, AgentStore } from '../../ports/agent-store.ts'
import type { Clock } from '../../ports/clock.ts'
import type { FollowEvent } from '../../ports/cluster.ts'
import type { Caller } from '../../ports/http-door.ts'
import type { Log } from '../../ports/log.ts'
import type { NodeFeed } from '../../ports/node-feed.ts'
import { Wakeup } from '../../runtime/wakeup.ts'
import type { AgentView } from './agent-view.ts'
import { DataPortWatch, type DataPortWatchParts } from './data-port-watch.ts'
import { PollLog } from './poll-log.ts'

export interface AgentParts {
  readonly node: string
  readonly spec: AgentSpec
  /** Who asks by agent-check. */
  readonly checkers: CheckerSpec
  /** Absent where the data port is not asked. */
  readonly dataPort?: Omit<DataPortWatchParts, 'clock' | 'onChange'>
  readonly feed: NodeFeed
  readonly store: AgentStore
  /** Of the machine; what was remembered in another boot counts no more. */
  readonly bootId: string
  readonly clock: Clock
  readonly log: Log
}

/** How often the override file is looked at, and a failed write tried again. */
const LOOK_EVERY_MS = 1_000

/**
 * The answer of one node, always in memory. It changes at once with what is heard; what must survive is written after it,
 * and a request is acknowledged only when it has been.
 */
export class Agent {
  readonly #parts: AgentParts
  readonly #wakeup: Wakeup
  readonly #polls = new PollLog()
  readonly #dataPort: DataPortWatch | undefined
  #evidence: AgentEvidence
  #decision: AgentDecision = { answer: 'down', reasons: [] }
  #heard = false
  #unheardSince: MonoMs | undefined
  #override: AgentSnapshot['override']
  #kept: KeptMaintenance | undefined
  #isKeptRead = false
  #remembered = ''
  #lookedAt: MonoMs
  readonly #trouble = new Map<AgentFile, string>()
  readonly #firstTold = Promise.withResolvers<void>()

  constructor(parts: AgentParts) {
    this.#parts = parts
    const now = parts.clock.monoMs()
    this.#evidence = noEvidence(now)
    this.#lookedAt = now
    this.#wakeup = new Wakeup(parts.clock)
    const { dataPort, clock } = parts
    this.#dataPort =
      dataPort === undefined
        ? undefined
        : new DataPortWatch({ ...dataPort, clock, onChange: (found) => this.#take({ dataPort: found }) })
  }

  /** Reads what the process before left; the answer stands when this resolves. */
  async begin(): Promise<void> {
    const { bootId, clock } = this.#parts
    const memory = await this.#read('memory')
    const recalled = memory?.text === undefined ? undefined : parseMemory(memory.text, bootId, clock.monoMs())
    if (recalled !== undefined) this.#evidence = recalled
    await this.#readKept()
    if (this.#kept !== undefined) {
      // It drained before the reboot, and who was told so may remember.
      const owed = Object.fromEntries(
        Object.keys(this.#parts.checkers.checkers).map((address) => [address, { told: 0 }]),
      )
      this.#evidence = { ...this.#evidence, owed: { ...owed, ...this.#evidence.owed } }
    }
    await this.#look()
    this.#judge()
  }

  /** Follows, asks and writes until aborted; rejects with the signal's reason. */
  async run(signal: AbortSignal): Promise<void> {
    const work: Promise<void>[] = [this.#follow(signal), this.#passes(signal)]
    if (this.#dataPort !== undefined) work.push(this.#dataPort.run(signal))
    await Promise.all(work)
  }

  /** Settles once something is known of the node, at most after `limitMs`. Rejects with the signal's reason. */
  async known(limitMs: number, signal: AbortSignal): Promise<void> {
    if (this.#evidence.node !== undefined) return
    const over = new AbortController()
    try {
      const limit = this.#parts.clock.sleep(limitMs, AbortSignal.any([signal, over.signal]))
      await Promise.race([this.#firstTold.promise, limit])
    } finally {
      over.abort(OVER)
    }
  }

  /** The answer for a checker, which is noted. */
  asked({ address, port }: Caller): Answer {
    const caller = { address: canonicalAddress(address), port }
    this.#polls.noted(caller, this.#decision.answer, this.#parts.clock.monoMs())
    return this.#decision.answer
  }

  /** The line for one checker of HAProxy's agent-check, which is noted. */
  agentCheckLine(caller: Caller): string {
    const { clock, checkers } = this.#parts
    const asked = { address: canonicalAddress(caller.address), answer: this.asked(caller), now: clock.monoMs() }
    const { line, owed } = agentCheckLine(this.#evidence.owed ?? {}, asked, checkers)
    this.#evidence = { ...this.#evidence, owed }
    return line
  }

  view(): AgentView {
    const { node, clock } = this.#parts
    const { evidence, kept, unheardSince } = this.#snapshot()
    const now = clock.monoMs()
    return {
      node,
      now,
      wall: clock.wallMs(),
      decision: this.#decision,
      since: evidence.since,
      heard: this.#heard,
      ...(unheardSince === undefined ? {} : { unheardForMs: now - unheardSince }),
      ...(kept === undefined ? {} : { kept }),
      // Said by the node's own object, on the disk, and what is answered goes by it.
      acknowledged: kept !== undefined && this.#decision.answer !== 'up' && kept.id !== '' ? [kept.id] : [],
      ...(evidence.dataPort === undefined ? {} : { dataPort: evidence.dataPort }),
      lookedAgoMs: now - this.#lookedAt,
      trouble: [...this.#trouble.values()],
      polls: this.#polls.all(),
    }
  }

  async #follow(signal: AbortSignal): Promise<void> {
    await this.#parts.feed.follow((event) => this.#heardOf(event), signal)
    signal.throwIfAborted()
  }

  #heardOf(event: FollowEvent<NodeFacts>): void {
    if (event.type === 'broken') {
      this.#unheardSince ??= this.#parts.clock.monoMs()
      this.#parts.log.debug('the API server is not heard', { reason: event.error.message })
      this.#wakeup.wake()
      return
    }
    this.#unheardSince = undefined
    if (event.type === 'fresh') return
    this.#heard = true
    this.#take({ node: factsOf(event) ?? 'gone' })
    this.#firstTold.resolve()
  }

  /** What was heard counts at once: nothing is written before. */
  #take(change: Partial<Pick<AgentEvidence, 'node' | 'dataPort'>>): void {
    this.#evidence = { ...this.#evidence, ...change }
    this.#judge()
    this.#wakeup.wake()
  }

  async #passes(signal: AbortSignal): Promise<void> {
    for (;;) {
      await this.#keep()
      this.#judge()
      await this.#remember()
      await this.#wakeup.next(Math.min(LOOK_EVERY_MS, this.#decision.changesInMs ?? LOOK_EVERY_MS), signal)
      await this.#look()
    }
  }

  #snapshot(): AgentSnapshot {
    const { clock, spec } = this.#parts
    return {
      now: clock.monoMs(),
      spec,
      evidence: this.#evidence,
      heard: this.#heard,
      ...(this.#unheardSince === undefined ? {} : { unheardSince: this.#unheardSince }),
      ...(this.#override === undefined ? {} : { override: this.#override }),
      ...(this.#kept === undefined ? {} : { kept: this.#kept }),
    }
  }

  #judge(): void {
    const seen = this.#snapshot()
    const observed: AgentSnapshot = { ...seen, evidence: observe(seen) }
    const decision = decide(observed)
    const isNew = decision.answer !== this.#decision.answer
    const { answer } = decision
    const since = answer === observed.evidence.answer ? observed.evidence.since : seen.now
    this.#evidence = { ...observed.evidence, answer, since }
    this.#decision = decision
    if (!isNew) return
    this.#polls.answerChanged()
    this.#parts.log.warn(`answers ${answer}`, { reasons: decision.reasons.map(({ text }) => text) })
  }

  /** The request on the disk becomes what it should be. */
  async #keep(): Promise<void> {
    const wanted = keptMaintenance(this.#snapshot())
    if (isSame(wanted, this.#kept)) return
    const text = wanted === undefined ? undefined : JSON.stringify(wanted)
    if (await this.#write('kept', text)) this.#kept = wanted
  }

  async #remember(): Promise<void> {
    const text = formatMemory(this.#parts.bootId, this.#evidence)
    if (text === this.#remembered) return
    if (await this.#write('memory', text)) this.#remembered = text
  }

  async #look(): Promise<void> {
    if (!this.#isKeptRead) await this.#readKept()
    const read = await this.#read('override')
    if (read !== undefined) this.#overrideBy(read.text)
    this.#lookedAt = this.#parts.clock.monoMs()
  }

  /** What cannot be read, or makes no sense, may be a request: nobody has shown that it is over. */
  async #readKept(): Promise<void> {
    const read = await this.#read('kept')
    this.#isKeptRead = read !== undefined
    if (read === undefined) this.#kept = UNREADABLE
    else this.#kept = read.text === undefined ? undefined : (parseKeptMaintenance(read.text) ?? UNREADABLE)
  }

  /** One that makes no sense changes nothing, and is told. */
  #overrideBy(text: string | undefined): void {
    const override = text === undefined ? undefined : parseOverride(text)
    if (text === undefined || override !== undefined) this.#override = override
    else this.#trouble.set('override', 'the override file begins with none of up, drain and down')
  }

  /** Undefined where it cannot be read; without text where there is none. */
  async #read(file: AgentFile): Promise<{ readonly text: string | undefined } | undefined> {
    try {
      const text = await this.#parts.store.read(file)
      this.#trouble.delete(file)
      return { text }
    } catch (error) {
      this.#failed(file, error)
      return undefined
    }
  }

  async #write(file: 'memory' | 'kept', text: string | undefined): Promise<boolean> {
    try {
      await this.#parts.store.write(file, text)
      this.#trouble.delete(file)
      return true
    } catch (error) {
      this.#failed(file, error)
      return false
    }
  }

  #failed(file: AgentFile, error: unknown): void {
    if (!(error instanceof WorldError)) throw error
    if (!this.#trouble.has(file)) this.#parts.log.warn(error.message)
    this.#trouble.set(file, error.message)
  }
}

/** Something is on the disk: whatever it was meant to be, nobody has shown that it is over. */
const UNREADABLE: KeptMaintenance = { version: 1, id: '', run: 'unknown', uid: '' }

const factsOf = (event: Exclude<FollowEvent<NodeFacts>, { type: 'broken' | 'fresh' }>): NodeFacts | undefined => {
  if (event.type === 'listed') return event.objects[0]
  return event.type === 'applied' ? event.object : undefined
}

const isSame = (a: KeptMaintenance | undefined, b: KeptMaintenance | undefined): boolean =>
  a?.id === b?.id && a?.run === b?.run && a?.uid === b?.uid

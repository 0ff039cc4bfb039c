import { Wakeup } from '../../ground/loop/wakeup.ts'
import { canonicalAddress } from '../../ground/model/ip-address.ts'
import type { NodeReading } from '../../ground/model/node-reading.ts'
import { OVER } from '../../ground/model/over.ts'
import { present } from '../../ground/model/present.ts'
import type { MonoMs } from '../../ground/model/time.ts'
import type { Clock } from '../../ground/ports/clock.ts'
import type { FollowEvent } from '../../ground/ports/cluster.ts'
import type { Caller } from '../../ground/ports/http-door.ts'
import type { Log } from '../../ground/ports/log.ts'
import type { Answer } from '../../service/model/answer.ts'
import { agentCheckLine, type CheckerSpec, owedAnew, stillOwed } from '../decide/agent-check-line.ts'
import { type AgentDecision, decide } from '../decide/decide.ts'
import { type AgentEvidence, noEvidence } from '../decide/evidence.ts'
import { keptClaims } from '../decide/kept-claims.ts'
import { formatMemory, parseMemory } from '../decide/memory.ts'
import { isGrantForgotten, observe } from '../decide/observe.ts'
import type { AgentSnapshot, AgentSpec } from '../decide/snapshot.ts'
import type { AgentStore } from '../ports/agent-store.ts'
import type { GrantsFeed } from '../ports/grants-feed.ts'
import type { NodeFeed } from '../ports/node-feed.ts'
import { AgentFiles } from './agent-files.ts'
import type { AgentStatus } from './agent-status.ts'
import { BrakeWatch } from './brake-watch.ts'
import { DataPortWatch, type DataPortWatchParts } from './data-port-watch.ts'
import { PollLog } from './poll-log.ts'

interface AgentParts {
  readonly node: string
  readonly spec: AgentSpec
  /** The checkers that use agent-check. */
  readonly checkers: CheckerSpec
  /** Absent where the data port is not checked. */
  readonly dataPort?: Omit<DataPortWatchParts, 'clock' | 'onChange'>
  readonly feed: NodeFeed
  /** Absent where there is no brake to follow. */
  readonly grants?: GrantsFeed
  readonly store: AgentStore
  /** The boot id of the machine; a memory of another boot does not count. */
  readonly bootId: string
  readonly clock: Clock
  readonly log: Log
  /** Called with each decision. */
  readonly onDecision?: (decision: AgentDecision) => void
}

/** How often the override file is read, and a failed write tried again. */
const READ_EVERY_MS = 1_000

/**
 * The answer of one node, always in memory. It changes at once with each event; files are written after it, and a claim is
 * acknowledged only once it is written.
 */
export class Agent {
  readonly #parts: AgentParts
  readonly #wakeup: Wakeup
  readonly #polls = new PollLog()
  readonly #files: AgentFiles
  readonly #dataPort: DataPortWatch | undefined
  readonly #brake: BrakeWatch | undefined
  #evidence: AgentEvidence
  #decision: AgentDecision = { answer: 'down', reasons: [] }
  #heard = false
  #unheardSince: MonoMs | undefined
  #lookedAt: MonoMs
  #isRecalled = false
  /** The memory, as it was last read. */
  #recalled: string | undefined
  #isAsked = false
  /** Shown until the API has sent the node: then nothing is missing any more. */
  #forgotten: string | undefined
  readonly #firstKnown = Promise.withResolvers<void>()

  constructor(parts: AgentParts) {
    this.#parts = parts
    const now = parts.clock.monoMs()
    this.#evidence = noEvidence(now)
    this.#lookedAt = now
    this.#wakeup = new Wakeup(parts.clock)
    this.#files = new AgentFiles(parts)
    const { dataPort, grants: feed, node, clock, log } = parts
    if (dataPort !== undefined)
      this.#dataPort = new DataPortWatch({ ...dataPort, clock, onChange: (found) => this.#take({ dataPort: found }) })
    if (feed !== undefined)
      this.#brake = new BrakeWatch({ feed, node, log, onChange: (brake) => this.#take({ brake }) })
  }

  /** Reads what the previous process left; the answer is known when this resolves. Rejects with the signal's reason. */
  async begin(signal: AbortSignal): Promise<void> {
    await this.#recall(signal)
    if (this.#brake === undefined) this.#evidence = { ...this.#evidence, brake: 'none' }
    await this.#look(signal)
    // It answered drain before the reboot, and checkers may remember that answer.
    if (this.#files.said.kept !== undefined) this.#owe(Object.keys(this.#parts.checkers.checkers))
    this.#judge()
  }

  /** Follows, checks and writes until aborted; rejects with the signal's reason. */
  async run(signal: AbortSignal): Promise<void> {
    const work: Promise<void>[] = [this.#follow(signal), this.#passes(signal)]
    if (this.#dataPort !== undefined) work.push(this.#dataPort.run(signal))
    if (this.#brake !== undefined) work.push(this.#brake.run(signal))
    await Promise.all(work)
  }

  /**
   * From now on checkers ask this agent, which goes on from the last memory of the previous one. While it waited it overwrote
   * no file: its answer may have been a temporary one. Rejects with the signal's reason.
   */
  async takeOver(signal: AbortSignal): Promise<void> {
    const before = this.#recalled
    const left = await this.#readMemory(signal)
    if (left !== undefined && this.#recalled !== before) {
      const { owed = {} } = left
      this.#evidence = this.#heard ? { ...this.#evidence, owed } : { ...left, ...this.#sinceThen() }
      this.#judge()
    }
    this.#isAsked = true
    this.#wakeup.wake()
  }

  /** Settles once the node is known, at most after `limitMs`. Rejects with the signal's reason. */
  async known(limitMs: number, signal: AbortSignal): Promise<void> {
    if (this.#evidence.node !== undefined) return
    const over = new AbortController()
    try {
      const limit = this.#parts.clock.sleep(limitMs, AbortSignal.any([signal, over.signal]))
      await Promise.race([this.#firstKnown.promise, limit])
    } finally {
      over.abort(OVER)
    }
  }

  /** The answer for a checker; the poll is counted. */
  asked({ address, port }: Caller): Answer {
    const caller = { address: canonicalAddress(address), port }
    this.#polls.noted(caller, this.#decision.answer, this.#parts.clock.monoMs())
    return this.#decision.answer
  }

  /** The line for one checker of HAProxy's agent-check; the poll is counted. */
  agentCheckLine(caller: Caller): string {
    const { clock, checkers } = this.#parts
    const asked = { address: canonicalAddress(caller.address), answer: this.asked(caller), now: clock.monoMs() }
    const before = this.#evidence.owed ?? {}
    const { line, owed } = agentCheckLine(before, asked, checkers)
    this.#evidence = { ...this.#evidence, owed }
    // A debt must be on the disk before the machine goes down.
    if (Object.keys(owed).length !== Object.keys(before).length) this.#wakeup.wake()
    return line
  }

  status(): AgentStatus {
    const { node, clock } = this.#parts
    const { evidence, kept, unheardSince } = this.#snapshot()
    const { synced } = this.#files
    const now = clock.monoMs()
    return {
      node,
      now,
      wall: clock.wallMs(),
      decision: this.#decision,
      since: evidence.since,
      heard: this.#heard,
      isKeptKnown: this.#files.isKeptKnown,
      isDataPortAsked: this.#dataPort?.isFound ?? true,
      ...(unheardSince === undefined ? {} : { unheardForMs: now - unheardSince }),
      ...present({ kept, dataPort: evidence.dataPort }),
      // A claim on the Node that is on the disk and that the answer follows.
      acknowledged: synced !== undefined && this.#decision.answer !== 'up' ? synced.claims.map(({ id }) => id) : [],
      brake: evidence.brake ?? 'unknown',
      filesReadAgoMs: now - this.#lookedAt,
      trouble: [this.#files, this.#brake, this.#dataPort]
        .flatMap((part) => part?.trouble ?? [])
        .concat(this.#forgotten ?? []),
      polls: this.#polls.all(),
    }
  }

  async #follow(signal: AbortSignal): Promise<void> {
    await this.#parts.feed.follow((event) => this.#heardOf(event), signal)
    signal.throwIfAborted()
  }

  #heardOf(event: FollowEvent<NodeReading>): void {
    if (event.type === 'broken') {
      this.#unheardSince ??= this.#parts.clock.monoMs()
      this.#parts.log.debug('the API server cannot be followed', { reason: event.error.message })
      this.#wakeup.wake()
      return
    }
    this.#unheardSince = undefined
    if (event.type === 'fresh') return
    this.#heard = true
    this.#forgotten = undefined
    this.#take({ node: readingOf(event) ?? 'gone' })
    this.#firstKnown.resolve()
  }

  /** An event changes the answer at once: nothing is written before. */
  #take(change: Partial<Pick<AgentEvidence, 'node' | 'dataPort' | 'brake'>>): void {
    this.#evidence = { ...this.#evidence, ...change }
    this.#judge()
    this.#wakeup.wake()
  }

  async #passes(signal: AbortSignal): Promise<void> {
    for (;;) {
      await this.#files.keep((kept) => keptClaims(this.#snapshot(), kept), signal)
      this.#judge()
      this.#forgive()
      if (this.#isAsked) await this.#writeDown(signal)
      await this.#wakeup.next(Math.min(READ_EVERY_MS, this.#decision.changesInMs ?? READ_EVERY_MS), signal)
      await this.#look(signal)
    }
  }

  async #writeDown(signal: AbortSignal): Promise<void> {
    await this.#files.owe(Object.keys(this.#evidence.owed ?? {}), signal)
    await this.#files.remember(formatMemory(this.#parts.bootId, this.#evidence), signal)
  }

  #snapshot(): AgentSnapshot {
    const { clock, spec } = this.#parts
    return {
      now: clock.monoMs(),
      spec,
      evidence: this.#evidence,
      heard: this.#heard,
      ...present({ unheardSince: this.#unheardSince }),
      ...this.#files.said,
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
    if (isGrantForgotten(seen.evidence, observed.evidence)) this.#brake?.readAnew()
    this.#parts.onDecision?.(decision)
    if (!isNew) return
    this.#polls.answerChanged()
    this.#parts.log.warn(`answers ${answer}`, { reasons: decision.reasons.map(({ text }) => text) })
  }

  async #recall(signal: AbortSignal): Promise<void> {
    const recalled = await this.#readMemory(signal)
    if (recalled === undefined) return
    this.#evidence = recalled
    this.#isRecalled = true
  }

  async #readMemory(signal: AbortSignal): Promise<AgentEvidence | undefined> {
    const { bootId, clock, log } = this.#parts
    const text = await this.#files.recall(signal)
    this.#recalled = text
    const recalled = text === undefined ? undefined : parseMemory(text, bootId, clock.monoMs())
    if (text !== undefined && recalled === undefined && this.#forgotten === undefined) {
      this.#forgotten = 'the memory of the previous agent is malformed and is ignored'
      log.warn(this.#forgotten)
    }
    return recalled === 'of another boot' ? undefined : recalled
  }

  /** What was read apart from the API, as of now. */
  #sinceThen(): Partial<AgentEvidence> {
    const { dataPort, brake } = this.#evidence
    return { ...present({ dataPort, brake }) }
  }

  async #look(signal: AbortSignal): Promise<void> {
    const owed = await this.#files.read(signal)
    // A memory of this boot is newer, and shows whose debts were paid.
    if (!this.#isRecalled) this.#owe(owed)
    this.#lookedAt = this.#parts.clock.monoMs()
  }

  #owe(addresses: readonly string[]): void {
    if (addresses.length > 0)
      this.#evidence = { ...this.#evidence, owed: { ...owedAnew(addresses), ...this.#evidence.owed } }
  }

  #forgive(): void {
    const { answer, since, owed } = this.#evidence
    if (owed === undefined || answer !== 'up') return
    const still = stillOwed(owed, this.#parts.clock.monoMs() - since, this.#parts.checkers)
    this.#evidence = { ...this.#evidence, owed: still }
  }
}

const readingOf = (event: Exclude<FollowEvent<NodeReading>, { type: 'broken' | 'fresh' }>): NodeReading | undefined => {
  if (event.type === 'listed') return event.objects[0]
  return event.type === 'applied' ? event.object : undefined
}

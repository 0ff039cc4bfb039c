import { Backoff } from '../../ground/loop/backoff.ts'
import { DeadlineError, withDeadline } from '../../ground/loop/deadline.ts'
import type { Leader } from '../../ground/loop/leader.ts'
import { Wakeup } from '../../ground/loop/wakeup.ts'
import type { ObjectRef } from '../../ground/model/object-ref.ts'
import { present } from '../../ground/model/present.ts'
import { plainText } from '../../ground/model/sentence.ts'
import { UserError } from '../../ground/model/user-error.ts'
import { WorldError } from '../../ground/model/world-error.ts'
import type { Clock } from '../../ground/ports/clock.ts'
import type { Log } from '../../ground/ports/log.ts'
import type { Random } from '../../ground/ports/random.ts'
import { type DnsHealth, healthOf, unknownHealth } from '../decide/health-condition.ts'
import type { AnnouncedHealth } from './announced-health.ts'
import type { DnsCheck, DnsChecks } from './check-dns.ts'
import type { DnsStatus } from './dns-metrics.ts'
import { EMPTY_DNS_STATUS, foldCheck } from './fold-check.ts'
import type { LoopRepair, RepairStatus } from './loop-repair.ts'

interface DnsLoopParts {
  readonly checks: Pick<DnsChecks, 'next' | 'close'>
  readonly health: AnnouncedHealth
  /** Absent: nothing is repaired. */
  readonly repair?: LoopRepair
  readonly leader: Pick<Leader, 'isLeading'>
  readonly intervalMs: number
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
}

export interface DnsLoopStatus {
  readonly state: 'standby' | 'checking' | 'waiting'
  /** As the condition says it; absent before the first check. */
  readonly health?: DnsHealth
  readonly seen: DnsStatus
  /** Absent: nothing is repaired. */
  readonly repair?: RepairStatus
  /** What does not work now: sentences. */
  readonly trouble: readonly string[]
}

/** What one turn is made of; each may fail by itself. */
type Part = 'check' | 'tell' | 'repair'

/** Making relays takes up to 45 s; a round to a hundred silent pods takes as long. */
const CHECK_LIMIT_MS = 180_000
const FIRST_RETRY_MS = 1_000
const LED_NO_MORE = new Error('this process no longer leads')
const STOPPED = new Error('stopped')

/**
 * Checks the DNS of the cluster again and again while this process leads, tells of its health, and lets it be repaired. Whatever the
 * world does it goes on: what fails is said once, and tried again after a pause.
 */
export class DnsLoop {
  readonly #parts: DnsLoopParts
  readonly #wakeup: Wakeup
  readonly #backoff: Backoff
  readonly #stopped = new AbortController()
  readonly #troubles = new Map<Part, string>()
  #term: AbortController | undefined
  #running: Promise<void> | undefined
  #state: DnsLoopStatus['state'] = 'standby'
  #service: ObjectRef | undefined
  #health: DnsHealth | undefined
  #seen = EMPTY_DNS_STATUS

  constructor(parts: DnsLoopParts) {
    const { clock, random, intervalMs } = parts
    this.#parts = parts
    this.#wakeup = new Wakeup(clock)
    this.#backoff = new Backoff({ baseMs: FIRST_RETRY_MS, capMs: Math.max(FIRST_RETRY_MS, intervalMs) }, random)
  }

  /** Until stopped; rejects with the signal's reason. */
  run(signal: AbortSignal): Promise<void> {
    this.#running = this.#run(AbortSignal.any([signal, this.#stopped.signal])).catch((error: unknown) => {
      if (error !== STOPPED) throw error
    })
    return this.#running
  }

  /** Ends what is under way, takes the relays away, and begins nothing any more. */
  async stop(): Promise<void> {
    this.#stopped.abort(STOPPED)
    await this.#running?.catch(() => undefined)
  }

  /** We lead now, or lead no more. */
  wake(): void {
    this.#wakeup.wake()
    if (!this.#parts.leader.isLeading()) this.#term?.abort(LED_NO_MORE)
  }

  status(): DnsLoopStatus {
    const { repair } = this.#parts
    return {
      state: this.#state,
      ...present({ health: this.#health }),
      seen: this.#seen,
      ...(repair === undefined ? {} : { repair: repair.status() }),
      trouble: [...this.#troubles.values()],
    }
  }

  async #run(signal: AbortSignal): Promise<void> {
    for (;;) {
      if (!this.#parts.leader.isLeading()) await this.#wakeup.next(undefined, signal)
      else await this.#lead(signal)
    }
  }

  /** Until this process no longer leads. */
  async #lead(life: AbortSignal): Promise<void> {
    const { checks, leader, clock, log } = this.#parts
    const term = new AbortController()
    this.#term = term
    const signal = AbortSignal.any([life, term.signal])
    try {
      while (leader.isLeading()) await clock.sleep(await this.#turn(signal), signal)
    } catch (error) {
      if (error !== LED_NO_MORE) throw error
    } finally {
      this.#term = undefined
      this.#state = 'standby'
      for (const left of await checks.close()) log.warn(`dns: ${left}`)
    }
  }

  /** How long to wait for the next one. */
  async #turn(signal: AbortSignal): Promise<number> {
    const { repair, intervalMs, random } = this.#parts
    this.#state = 'checking'
    const check = await this.#tried('check', () => this.#check(signal), signal)
    if (check !== undefined && repair !== undefined)
      await this.#tried('repair', () => repair.after(check, (limited) => this.#check(limited), signal), signal)
    this.#state = 'waiting'
    const pauseMs = intervalMs * (0.8 + 0.4 * random.next())
    if (this.#troubles.size > 0) return Math.min(pauseMs, this.#backoff.nextMs())
    this.#backoff.reset()
    return pauseMs
  }

  /** One check, and what it says told. Rejects as a check does. */
  async #check(signal: AbortSignal): Promise<DnsCheck> {
    const { checks, clock } = this.#parts
    try {
      const limit = { clock, limitMs: CHECK_LIMIT_MS, signal, what: 'the check of DNS' }
      const check = await withDeadline(limit, (limited) => checks.next({}, limited))
      this.#seen = foldCheck(this.#seen, check, clock.wallMs())
      this.#service = check.scene.service
      await this.#tell(healthOf(check.findings), signal)
      return check
    } catch (error) {
      signal.throwIfAborted()
      if (isNoBug(error)) this.#seen = foldCheck(this.#seen, { trouble: error.message }, clock.wallMs())
      // What nothing can be known of is not said to be well on; an API server that is away takes no word anyway.
      if (error instanceof UserError) await this.#tell(unknownHealth(error.message), signal)
      throw error
    }
  }

  async #tell(health: DnsHealth, signal: AbortSignal): Promise<void> {
    const { health: announced, leader } = this.#parts
    const service = this.#service
    this.#health = health
    if (service === undefined) return
    await this.#tried(
      'tell',
      async () => {
        if (leader.isLeading()) await announced.announce(service, health, signal)
      },
      signal,
    )
  }

  /** Undefined where the world, or what a person has set up, did not let it. */
  async #tried<T>(part: Part, work: () => Promise<T>, signal: AbortSignal): Promise<T | undefined> {
    try {
      const done = await work()
      this.#troubles.delete(part)
      return done
    } catch (error) {
      signal.throwIfAborted()
      if (!isNoBug(error)) throw error
      const { log } = this.#parts
      const fix = error instanceof UserError && error.fix !== undefined ? { fix: plainText(error.fix) } : {}
      if (this.#troubles.get(part) !== error.message)
        log.warn(`dns: ${FAILED[part]}`, { reason: error.message, ...fix })
      this.#troubles.set(part, error.message)
      return undefined
    }
  }
}

const isNoBug = (error: unknown): error is WorldError | DeadlineError | UserError =>
  error instanceof WorldError || error instanceof DeadlineError || error instanceof UserError

const FAILED: Readonly<Record<Part, string>> = {
  check: 'a check failed',
  tell: 'the health of DNS was not published to the cluster',
  repair: 'a repair failed',
}

import type { ServiceAsRead, ServiceConditions } from '../../../src/dns/ports/service-conditions.ts'
import { AnnouncedHealth } from '../../../src/dns/run/announced-health.ts'
import { DnsLoop } from '../../../src/dns/run/dns-loop.ts'
import { LoopRepair } from '../../../src/dns/run/loop-repair.ts'
import type { Condition } from '../../../src/ground/model/condition.ts'
import { WorldError } from '../../../src/ground/model/world-error.ts'
import type { ObjectNotices } from '../../../src/ground/ports/object-notices.ts'
import { SeededRandom } from '../seeded-random.ts'
import { RepairWorld, type Seen } from './repair-world.ts'

const INTERVAL_MS = 30_000
const refused = (code: string): WorldError => new WorldError('refused', { code, retry: 'backoff' })

/** The loop of a controller over a cluster whose DNS is as its scenes say, and the Service as people see it. */
export class LoopWorld extends RepairWorld {
  isLeading = true
  isHanging = false
  checks = 0
  closed = 0
  /** Each condition that was written, and each Event, in order. */
  readonly written: string[] = []
  readonly events: string[] = []
  readonly logged: string[] = []
  condition: Condition | undefined
  /** What goes wrong with the next writes of the Service. */
  refusals: string[] = []
  readonly loop: DnsLoop
  readonly #life = new AbortController()

  constructor({ repairs }: { readonly repairs: boolean }, ...scenes: Seen[]) {
    super(...scenes)
    const { clock } = this
    const random = new SeededRandom(1)
    const leader = { isLeading: () => this.isLeading }
    const log = { debug: () => undefined, warn: (text: string) => this.logged.push(text) }
    const notices: ObjectNotices = {
      tell: async ({ kind, name, type, reason }) => {
        this.events.push(`${kind} ${name} ${type} ${reason.code}: ${reason.text}`)
      },
    }
    const checks = {
      next: () => {
        this.checks += 1
        return this.isHanging ? new Promise<never>(() => undefined) : this.check()
      },
      close: async () => {
        this.closed += 1
        return []
      },
    }
    const { repairer, past } = this
    const repair = new LoopRepair({ ...this.alone('me'), repairer, past, notices, leader, log })
    this.loop = new DnsLoop({
      checks,
      health: new AnnouncedHealth({ conditions: this.#conditions, notices, clock }),
      leader,
      intervalMs: INTERVAL_MS,
      clock,
      random,
      log,
      ...(repairs ? { repair } : {}),
    })
  }

  get #conditions(): ServiceConditions {
    const asRead = (): ServiceAsRead => ({
      namespace: 'kube-system',
      name: 'kube-dns',
      uid: 'uid-service',
      resourceVersion: '1',
      conditions: this.condition === undefined ? [] : [this.condition],
    })
    return {
      read: async () => asRead(),
      write: async (_, condition) => {
        const refusal = this.refusals.shift()
        if (refusal !== undefined) throw refused(refusal)
        this.condition = condition
        const { status, reason, lastTransitionTime } = condition
        this.written.push(`${status} ${reason} since ${lastTransitionTime}`)
      },
    }
  }

  /** It runs, and this much time passes. */
  async run(ms: number): Promise<void> {
    this.loop.run(this.#life.signal).catch(() => undefined)
    await this.pass(ms)
  }

  /** In steps, so that what follows from one another has the turns of the host's loop that it takes. */
  async pass(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= 500) await this.clock.advance(Math.min(500, left))
  }

  leads(isLeading: boolean): void {
    this.isLeading = isLeading
    this.loop.wake()
  }

  end(): void {
    this.#life.abort(new Error('the test is over'))
  }
}

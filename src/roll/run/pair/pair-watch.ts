import { DeadlineError, withDeadline } from '../../../ground/loop/deadline.ts'
import { present } from '../../../ground/model/present.ts'
import type { MonoMs } from '../../../ground/model/time.ts'
import { WorldError } from '../../../ground/model/world-error.ts'
import type { Clock } from '../../../ground/ports/clock.ts'
import type { Balancer } from '../../../service/ports/balancer.ts'
import type { ConnectionCount, MachineState } from '../../decide/pair/machine-snapshot.ts'
import type { HostPair, MachineReading, PairMachine } from '../../model/host-pair.ts'
import type { HostMachines } from '../../ports/host-machines.ts'

interface PairWatchParts {
  readonly pair: HostPair
  /** The machine in work, whose connections are counted. */
  readonly host: PairMachine
  /** Absent: no machine can be asked. */
  readonly machines?: HostMachines
  readonly balancers: readonly Balancer[]
  readonly clock: Clock
  readonly onNews: () => void
}

const READ_EVERY_MS = 1000
/** ssh gives up a connection after 10 s. */
const READ_LIMIT_MS = 15_000
const COUNT_LIMIT_MS = 2000

interface Seen {
  readonly reading?: MachineReading
  /** When that was asked. */
  readonly askedAt?: MonoMs
  readonly silentSince?: MonoMs
  readonly error?: string
}

/** Asks the machines of one pair again and again, each by its own address, and keeps what they said last. */
export class PairWatch {
  readonly #parts: PairWatchParts
  readonly #seen = new Map<string, Seen>()
  #connections: ConnectionCount | undefined

  constructor(parts: PairWatchParts) {
    this.#parts = parts
  }

  machines(): readonly MachineState[] {
    const now = this.#parts.clock.monoMs()
    return this.#parts.pair.machines.map((machine) => {
      const { reading, askedAt, silentSince, error } = this.#seen.get(machine.name) ?? {}
      return {
        machine,
        silentForMs: reading === undefined ? 1 : silentSince === undefined ? 0 : Math.max(1, now - silentSince),
        ...present({ reading, askedAt, error }),
      }
    })
  }

  connections(): { readonly connections?: ConnectionCount } {
    return this.#connections === undefined ? {} : { connections: this.#connections }
  }

  /** Asks all of them once more, now. */
  async refresh(signal: AbortSignal): Promise<void> {
    await Promise.all(this.#parts.pair.machines.map((machine) => this.#read(machine, signal)))
  }

  /** Rejects with the signal's reason. */
  async run(signal: AbortSignal): Promise<void> {
    const { pair } = this.#parts
    await Promise.all([
      ...pair.machines.map((machine) => this.#every(() => this.#read(machine, signal), signal)),
      this.#every(() => this.#count(signal), signal),
    ])
  }

  async #every(work: () => Promise<void>, signal: AbortSignal): Promise<never> {
    for (;;) {
      await work()
      this.#parts.onNews()
      await this.#parts.clock.sleep(READ_EVERY_MS, signal)
    }
  }

  async #read({ name, ssh }: PairMachine, signal: AbortSignal): Promise<void> {
    const { clock, machines } = this.#parts
    const askedAt = clock.monoMs()
    try {
      if (machines === undefined) throw new WorldError('nothing here asks machines', NO_WAY)
      const deadline = { clock, limitMs: READ_LIMIT_MS, signal, what: `ssh ${ssh}` }
      const reading = await withDeadline(deadline, (limited) => machines.read(ssh, limited))
      if (!this.#isOvertaken(name, askedAt)) this.#seen.set(name, { reading, askedAt })
    } catch (error) {
      if (!(error instanceof WorldError || error instanceof DeadlineError)) throw error
      if (this.#isOvertaken(name, askedAt)) return
      const seen = this.#seen.get(name) ?? {}
      this.#seen.set(name, { ...seen, silentSince: seen.silentSince ?? askedAt, error: error.message })
    }
  }

  /** A question that was asked later is answered already. */
  #isOvertaken(name: string, askedAt: MonoMs): boolean {
    const answered = this.#seen.get(name)?.askedAt
    return answered !== undefined && answered > askedAt
  }

  /** Counts for all instances on the machine together. Where one of them does not answer, there is no count. */
  async #count(signal: AbortSignal): Promise<void> {
    const { host, balancers, clock } = this.#parts
    const askedAt = clock.monoMs()
    const deadline = { clock, limitMs: COUNT_LIMIT_MS, signal, what: 'the balancer' }
    try {
      const counts = host.instances.map((instance) => {
        const balancer = balancers.find(({ instances }) => instances.includes(instance))
        if (balancer?.clientConnections === undefined) throw new WorldError('it does not count', NO_WAY)
        return withDeadline(deadline, async (limited) => balancer.clientConnections?.(instance, limited) ?? 0)
      })
      const all = await Promise.all(counts)
      this.#connections = { askedAt, count: all.reduce((sum, count) => sum + count, 0) }
    } catch (error) {
      if (!(error instanceof WorldError || error instanceof DeadlineError)) throw error
      this.#connections = undefined
    }
  }
}

const NO_WAY = { code: 'HOST_NO_WAY', retry: 'never' } as const

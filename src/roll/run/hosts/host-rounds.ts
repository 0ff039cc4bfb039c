import { Wakeup } from '../../../ground/loop/wakeup.ts'
import { OVER } from '../../../ground/model/over.ts'
import { isBegun } from '../../decide/pair/host-memory.ts'
import type { NodeResult } from '../../model/roll-event.ts'
import { hostEnded, hostsBegun, memoryOfHost } from '../run-state.ts'
import { untilSettled } from '../until-settled.ts'
import type { HostPlace } from './host-effects.ts'
import { HostPass, type HostPassParts } from './host-pass.ts'

interface HostRoundsParts extends HostPassParts {
  readonly wakeup: Wakeup
  /** Before each pass. */
  readonly passing: () => void
  /** A machine is through, restored, or left as it is. */
  readonly settled: (standing: NodeResult) => void
  readonly failedIn: (host: string) => number
}

const RELEASE_TRY_MS = 1000

/** The machines of the load balancers, one after the other: no two of them, and none beside a node. */
export class HostRounds {
  readonly #parts: HostRoundsParts
  #pass: HostPass | undefined

  constructor(parts: HostRoundsParts) {
    this.#parts = parts
  }

  /** Absent: the file has none, or this process may only put back nodes. */
  static of(parts: Omit<HostRoundsParts, 'wakeup'>): HostRounds | undefined {
    const { run, clock } = parts
    if (run.hosts === undefined || run.restoresAs !== undefined) return undefined
    return new HostRounds({ ...parts, wakeup: new Wakeup(clock) })
  }

  wake(): void {
    this.#parts.wakeup.wake()
  }

  /** Those that an earlier process of this run has begun: an instance that is down would hold every node. */
  async begun(work: AbortSignal, interrupt: AbortSignal): Promise<void> {
    const begun = this.#places().filter(({ host }) => isBegun(memoryOfHost(this.#parts.run, host.name)))
    for (const place of begun) await this.#round(place, work, interrupt)
  }

  /** Those that are left, while no verdict stands. None is begun in the place of one that was put back: their order has reasons. */
  async rest(work: AbortSignal, interrupt: AbortSignal): Promise<void> {
    const { run } = this.#parts
    for (const place of this.#places()) {
      const isBegunHere = isBegun(memoryOfHost(run, place.host.name))
      let isToCome = run.verdict === undefined || isBegunHere
      while (isToCome) isToCome = await this.#round(place, work, interrupt)
    }
  }

  /** Where the machine in work stands, after an interruption. */
  standings(): readonly NodeResult[] {
    return this.#pass === undefined ? [] : [this.#pass.standing(0)]
  }

  #places(): readonly HostPlace[] {
    const { run } = this.#parts
    const pairs = run.spec.hosts?.pairs ?? []
    const places = pairs.flatMap((pair) => pair.machines.map((host) => ({ pair, host })))
    const { order = [], done = [] } = run.hosts ?? {}
    return places.filter(({ host }) => order.includes(host.name) && !done.includes(host.name))
  }

  /** True: it was put back, and its turn comes again. */
  async #round(place: HostPlace, work: AbortSignal, interrupt: AbortSignal): Promise<boolean> {
    const { run, settled, failedIn, wishes } = this.#parts
    const over = new AbortController()
    const pass = new HostPass(this.#parts, place, () => this.wake())
    this.#pass = pass
    const watch = pass.watch(AbortSignal.any([work, over.signal]))
    const passes = untilSettled({ ...this.#parts, pass: () => pass.pass(work) }, interrupt)
    try {
      await Promise.race([passes, watch])
      await this.#release(interrupt)
      const standing = pass.standing(failedIn(place.host.name))
      settled(standing)
      hostEnded(run, standing)
      this.#pass = undefined
      wishes.kuredLock?.leave(pass)
      return pass.isToCome
    } finally {
      over.abort(OVER)
      await watch.catch(() => undefined)
    }
  }

  /** A machine that is left as it is keeps the slot: nothing else is begun beside it. */
  async #release(signal: AbortSignal): Promise<void> {
    const { keeper, clock, run } = this.#parts
    const isOut = hostsBegun(run).length > 0
    while (!isOut && keeper.state().kind === 'held') {
      const answer = await keeper.release(signal)
      if (answer.kind === 'unanswered') await clock.sleep(RELEASE_TRY_MS, signal)
    }
  }
}

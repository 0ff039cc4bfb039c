import assert from 'node:assert/strict'
import { Leader } from '../../src/ground/loop/leader.ts'
import type { Reason } from '../../src/ground/model/reason.ts'
import type { LeaseClient, LeaseStore } from './lease-store.ts'
import { SeededRandom } from './seeded-random.ts'
import type { VirtualClock } from './virtual-clock.ts'

export const LEADER_LEASE = { namespace: 'evenkeel', name: 'evenkeel-controller' }

interface CandidateFacts {
  readonly store: LeaseStore
  readonly clock: VirtualClock
  readonly name: string
  readonly latencyMs?: number
  readonly durationMs?: number
}

/** One process that would lead, with its own way to the API and, if need be, its own clock. */
export class Candidate {
  readonly name: string
  readonly leader: Leader
  readonly client: LeaseClient
  /** Why it leads no more, once it does not. */
  over: Reason | undefined
  readonly #stop = new AbortController()
  readonly #running: Promise<unknown>

  constructor({ store, clock, name, latencyMs = 0, durationMs = 15_000 }: CandidateFacts) {
    this.name = name
    this.client = store.client(latencyMs)
    this.leader = new Leader({
      cluster: this.client,
      clock,
      random: new SeededRandom(name.charCodeAt(0)),
      lease: LEADER_LEASE,
      identity: name,
      durationMs,
      onChange: () => undefined,
    })
    const why = (reason: Reason): void => {
      this.over = reason
    }
    this.#running = this.leader.run(this.#stop.signal).then(why, (error: unknown) => {
      assert.equal(error, this.#stop.signal.reason)
    })
  }

  /** As a process that is stopped in good order does. */
  async release(): Promise<void> {
    await this.end()
    await this.leader.release(new AbortController().signal)
  }

  /** Ends without giving the Lease back. */
  async end(): Promise<void> {
    this.#stop.abort(new Error('ended'))
    await this.#running
  }
}

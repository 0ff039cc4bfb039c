import type { ProbeTarget, Sample } from '../../../../src/model/probe.ts'
import type { VirtualCluster } from '../../../../src/sim/cluster/virtual-cluster.ts'
import { Judge } from '../../../../src/sim/traffic/judge.ts'
import { OpenLoopClient } from '../../../../src/sim/traffic/open-loop-client.ts'

export interface Loss {
  /** On the clock that nobody sets. */
  readonly dueMs: number
  /** It was sent over a connection that was closed under it. */
  readonly isStale: boolean
  /** The same, and it was the first over its connection. */
  readonly isReset: boolean
  readonly text: string
}

/** Sends requests of its own from before a roll until after it, whatever becomes of the roll, and notes what was lost. */
export class LossLog {
  readonly judge = new Judge()
  readonly #losses: Loss[] = []
  readonly #client: OpenLoopClient

  constructor({ network, time }: VirtualCluster, target: ProbeTarget) {
    const sink = (sample: Sample): void => {
      this.judge.record(sample)
      if (sample.verdict !== 'failed') return
      const { failure = 'unknown', error = '', latencyMs, lane } = sample
      this.#losses.push({
        dueMs: time.monoMs() - latencyMs,
        isStale: failure === 'stale',
        isReset: failure === 'reset',
        text: `${failure}, ${error} (${lane})`,
      })
    }
    this.#client = new OpenLoopClient({ target, network, clock: time, timers: time, sink })
    this.#client.start()
  }

  get all(): readonly Loss[] {
    return this.#losses
  }

  stop(): Promise<void> {
    return new Promise((resolve) => this.#client.stop(resolve))
  }
}

import type { ProbeTarget, Sample } from '../../../../src/ground/model/probe.ts'
import type { VirtualCluster } from '../../../../src/sim/cluster/virtual-cluster.ts'
import { Judge } from '../../../../src/sim/traffic/judge.ts'
import { OpenLoopClient } from '../../../../src/sim/traffic/open-loop-client.ts'
import { targetAddress } from '../../../../src/sim/traffic/target-address.ts'

/** The backend of an instance that requests are sent to. */
export interface Front {
  readonly instance: string
  readonly backend: string
}

export interface Loss {
  readonly front: Front
  /** On the monotonic clock. */
  readonly dueMs: number
  /** When it was given up, or answered otherwise than it should be. */
  readonly endedMs: number
  /** The service answered, with something else than it should. */
  readonly isAnswered: boolean
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
  readonly #others: Loss[] = []
  readonly fronts: readonly Front[]
  readonly #clients: readonly OpenLoopClient[]

  constructor(cluster: VirtualCluster, ...targets: readonly ProbeTarget[]) {
    const { network, time } = cluster
    const sinkOf =
      (front: Front) =>
      (sample: Sample): void => {
        this.judge.record(sample)
        if (sample.verdict !== 'failed') return
        const { failure = 'unknown', error = '', latencyMs, lane } = sample
        this.#losses.push({
          front,
          dueMs: time.monoMs() - latencyMs,
          endedMs: time.monoMs(),
          isAnswered: failure === 'status' || failure === 'content',
          isStale: failure === 'stale',
          isReset: failure === 'reset',
          text: `${failure}, ${error} (${lane})`,
        })
      }
    this.fronts = targets.map((target) => frontOf(cluster, target))
    this.#clients = targets.map(
      (target) =>
        new OpenLoopClient({ target, network, clock: time, timers: time, sink: sinkOf(frontOf(cluster, target)) }),
    )
    for (const client of this.#clients) client.start()
  }

  get all(): readonly Loss[] {
    return this.#losses
  }

  /** Of clients that ask otherwise than a roll does, which it cannot see. */
  get others(): readonly Loss[] {
    return this.#others
  }

  noteOther(loss: Loss): void {
    this.#others.push(loss)
  }

  async stop(): Promise<void> {
    await Promise.all(this.#clients.map((client) => new Promise<void>((resolve) => client.stop(resolve))))
  }
}

function frontOf({ instances }: VirtualCluster, target: ProbeTarget): Front {
  const { to } = targetAddress(target)
  const instance = instances.find(({ host }) => host === to.host)
  const frontend = instance?.balancer.state.config.frontends.find(({ port }) => port === to.port)
  if (instance === undefined || frontend === undefined) throw new Error(`no frontend is at ${target.url}`)
  return { instance: instance.name, backend: frontend.backend }
}

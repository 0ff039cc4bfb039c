import { WorldError } from '../../ground/model/world-error.ts'
import type { Clock } from '../../ground/ports/clock.ts'
import type { DnsDemoCluster, PodReading } from './dns-demo-actions.ts'

/** How often the pod was checked, and how often the check failed. */
interface Seen {
  readonly asked: number
  readonly failed: number
}

const POLL_EVERY_MS = 500

/** Checks the sick pod again and again, like its kubelet, and counts. */
export class PodWatch {
  readonly #cluster: Pick<DnsDemoCluster, 'readPod'>
  readonly #clock: Clock
  readonly #looks: PodReading[] = []

  constructor(cluster: Pick<DnsDemoCluster, 'readPod'>, clock: Clock) {
    this.#cluster = cluster
    this.#clock = clock
  }

  /** Runs until aborted, which is no error. */
  async run(signal: AbortSignal): Promise<void> {
    try {
      for (;;) {
        this.#looks.push(await this.#look(signal))
        await this.#clock.sleep(POLL_EVERY_MS, signal)
      }
    } catch (error) {
      if (!signal.aborted) throw error
    }
  }

  seen(what: keyof PodReading): Seen {
    return { asked: this.#looks.length, failed: this.#looks.filter((reading) => !reading[what]).length }
  }

  get last(): PodReading | undefined {
    return this.#looks.at(-1)
  }

  async #look(signal: AbortSignal): Promise<PodReading> {
    try {
      return await this.#cluster.readPod(signal)
    } catch (error) {
      if (signal.aborted || !(error instanceof WorldError)) throw error
      return { health: false, dnsOverTcp: false, ready: false, runs: false }
    }
  }
}

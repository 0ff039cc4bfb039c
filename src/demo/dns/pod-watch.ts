import { WorldError } from '../../ground/model/world-error.ts'
import type { Clock } from '../../ground/ports/clock.ts'
import type { DnsDemoGround, PodLook } from './dns-demo-actions.ts'

/** How often was looked, and how often it was not so. */
interface Seen {
  readonly asked: number
  readonly failed: number
}

const LOOK_EVERY_MS = 500

/** Looks at the sick pod again and again, as its kubelet does, and keeps count. */
export class PodWatch {
  readonly #ground: Pick<DnsDemoGround, 'look'>
  readonly #clock: Clock
  readonly #looks: PodLook[] = []

  constructor(ground: Pick<DnsDemoGround, 'look'>, clock: Clock) {
    this.#ground = ground
    this.#clock = clock
  }

  /** Until it is aborted, which is no error. */
  async run(signal: AbortSignal): Promise<void> {
    try {
      for (;;) {
        this.#looks.push(await this.#look(signal))
        await this.#clock.sleep(LOOK_EVERY_MS, signal)
      }
    } catch (error) {
      if (!signal.aborted) throw error
    }
  }

  seen(what: keyof PodLook): Seen {
    return { asked: this.#looks.length, failed: this.#looks.filter((look) => !look[what]).length }
  }

  get last(): PodLook | undefined {
    return this.#looks.at(-1)
  }

  async #look(signal: AbortSignal): Promise<PodLook> {
    try {
      return await this.#ground.look(signal)
    } catch (error) {
      if (signal.aborted || !(error instanceof WorldError)) throw error
      return { health: false, dnsOverTcp: false, ready: false, runs: false }
    }
  }
}

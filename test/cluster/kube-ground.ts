import type { Cluster } from '../../src/ground/ports/cluster.ts'
import { type Bed, openBed } from '../../testbed/bed.ts'
import { type RawApi, rawApi } from '../support/raw-api.ts'
import { openOnBed } from './open-on-bed.ts'

/** A real control plane without machines: the adapter's way to it, and the administrator's. */
interface OpenedGround {
  readonly bed: Bed
  readonly cluster: Cluster
  readonly raw: RawApi
}

export class KubeGround {
  readonly #stop = new AbortController()
  readonly #toClose: (() => unknown)[] = []
  /** Of everything that is asked and followed; ends with the ground. */
  readonly signal = this.#stop.signal

  async open(): Promise<OpenedGround> {
    const bed = await openBed({ controlPlaneOnly: true })
    this.#toClose.push(() => bed.close())
    const { ask, close } = rawApi(bed.kubeconfig)
    this.#toClose.unshift(close)
    return { bed, cluster: await openOnBed(bed.kubeconfig, this.signal), raw: ask }
  }

  async close(): Promise<void> {
    this.#stop.abort(new Error('the tests are over'))
    for (const close of this.#toClose) await close()
  }
}

import { invariant } from '../../ground/model/invariant.ts'
import type { NodePortRule } from './data-plane.ts'
import type { VirtualPod } from './virtual-pod.ts'

/** Of a /24: neither the network's address, nor the bridge's (.1), nor the broadcast's. */
const FIRST_HOST = 2
const LAST_HOST = 254

/** What a machine of the cluster carries. */
export class VirtualNode {
  readonly address: string
  readonly #podNet: string
  readonly #pods = new Map<string, VirtualPod>()
  #lastHost = FIRST_HOST - 1
  rules = new Map<number, NodePortRule['endpoints']>()
  isOn = true

  /** `index`: 1 for the first node, whose pods live in 10.244.1.0/24. */
  constructor(address: string, index: number) {
    this.address = address
    this.#podNet = `10.${244 + (index >> 8)}.${index & 255}`
  }

  /**
   * `kept` where nothing runs there; else the one after the last that was given, as the CNI plugin host-local does: leases on disk
   * survive a boot.
   */
  freeAddress(kept: string | undefined): string {
    if (kept !== undefined && !this.#pods.has(kept)) return kept
    for (let tried = 0; tried <= LAST_HOST - FIRST_HOST; tried += 1) {
      this.#lastHost = this.#lastHost === LAST_HOST ? FIRST_HOST : this.#lastHost + 1
      const address = `${this.#podNet}.${this.#lastHost}`
      if (!this.#pods.has(address)) return address
    }
    invariant(false, `no address is left in ${this.#podNet}.0/24`)
  }

  add(pod: VirtualPod): void {
    this.#pods.set(pod.address, pod)
  }

  remove(pod: VirtualPod): void {
    if (this.#pods.get(pod.address) === pod) this.#pods.delete(pod.address)
  }

  /** All that lived in its memory. */
  losePower(): void {
    for (const pod of this.#pods.values()) pod.vanish()
    this.#pods.clear()
    this.rules = new Map()
  }
}

import { invariant } from '../../ground/model/invariant.ts'
import type { Destination } from '../network/network.ts'
import type { VirtualPod } from '../plane/virtual-pod.ts'
import type { Flow } from './flow.ts'
import type { HttpService } from './http-service.ts'
import type { NodePort } from './node-port.ts'

export interface LoopbackPod {
  readonly pod: VirtualPod
  readonly service: HttpService
  /** Its DNS server goes; nothing where it has none. */
  readonly endDns: () => void
}

/** Of a /24: neither the network's address, nor the bridge's (.1), nor the broadcast's. */
const FIRST_HOST = 2
const LAST_HOST = 254

/** What a machine of the embedded cluster carries in real time. */
export class LoopbackNode {
  readonly address: string
  readonly #podNet: string
  #lastHost = FIRST_HOST - 1
  isOn = true
  readonly pods = new Map<string, LoopbackPod>()
  readonly nodePorts = new Map<number, NodePort>()
  /** Where processes of the machine itself listen, such as an agent. */
  readonly ownPorts = new Set<number>()
  /** What entered the cluster here and is open. */
  readonly flows = new Set<Flow>()

  constructor(address: string, podNet: string) {
    this.address = address
    this.#podNet = podNet
  }

  /** `wanted` where it is free; else the one after the last that was given, as the CNI plugin host-local does. */
  freeAddress(wanted: string | undefined): string {
    if (wanted !== undefined && !this.pods.has(wanted)) return wanted
    for (let tried = 0; tried <= LAST_HOST - FIRST_HOST; tried += 1) {
      this.#lastHost = this.#lastHost === LAST_HOST ? FIRST_HOST : this.#lastHost + 1
      const address = `${this.#podNet}.${this.#lastHost}`
      if (!this.pods.has(address)) return address
    }
    invariant(false, `no address is left in ${this.#podNet}.0/24`)
  }

  /** Undefined: nothing is reached by that port. */
  endpointsOf(port: number): readonly Destination[] | undefined {
    return this.nodePorts.get(port)?.endpoints ?? (this.ownPorts.has(port) ? [{ host: this.address, port }] : undefined)
  }

  goDark(): void {
    this.isOn = false
    for (const { pod, service, endDns } of this.pods.values()) {
      service.freeze()
      endDns()
      pod.vanish()
    }
    this.pods.clear()
    for (const flow of this.flows) flow.stall()
    for (const port of this.nodePorts.values()) port.goDark()
  }

  /** It refuses everything until kube-proxy has written its rules. */
  boot(): void {
    this.isOn = true
    for (const port of this.nodePorts.values()) port.close()
    this.nodePorts.clear()
    for (const flow of this.flows) flow.forget()
    this.flows.clear()
  }
}

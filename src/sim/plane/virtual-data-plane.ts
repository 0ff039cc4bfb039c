import { invariant } from '../../ground/model/invariant.ts'
import type { Random } from '../../ground/ports/random.ts'
import type { Timers } from '../../ground/ports/timers.ts'
import type { Destination } from '../network/network.ts'
import type { VirtualNetwork } from '../network/virtual-network.ts'
import { App } from './app.ts'
import type { DataPlane, NodePortRule, PodProcess, PodStart } from './data-plane.ts'
import { ReverseProxy } from './reverse-proxy.ts'
import { VirtualNode } from './virtual-node.ts'
import { VirtualPod } from './virtual-pod.ts'

interface VirtualDataPlaneParts {
  readonly network: VirtualNetwork
  readonly timers: Timers
  readonly random: Random
}

/**
 * Pods and node ports in virtual time. A pod is a host behind its node. A node port is kube-proxy's in mode iptables: an
 * endpoint by chance for each new connection, REJECT where there is none, conntrack for what is open.
 */
export class VirtualDataPlane implements DataPlane {
  readonly #parts: VirtualDataPlaneParts
  readonly #nodes = new Map<string, VirtualNode>()
  /** A node that joins again gets its pod network back. */
  readonly #indexes = new Map<string, number>()

  constructor(parts: VirtualDataPlaneParts) {
    this.#parts = parts
  }

  addNode(name: string, address: string): void {
    invariant(!this.#nodes.has(name), `there is a node ${name} already`)
    const index = this.#indexes.get(name) ?? this.#indexes.size + 1
    this.#indexes.set(name, index)
    const node = new VirtualNode(address, index)
    this.#nodes.set(name, node)
    this.#parts.network.addHost(address)
    this.#forward(node)
  }

  removeNode(name: string): void {
    const node = this.#nodes.get(name)
    if (node === undefined) return
    this.#nodes.delete(name)
    node.losePower()
    this.#parts.network.removeHost(node.address)
  }

  newAddress(node: string): string {
    return this.#node(node).freeAddress(undefined)
  }

  startPod({ name, node: nodeName, port, app: behaviour, address: kept }: PodStart): PodProcess {
    const { network, timers } = this.#parts
    const node = this.#node(nodeName)
    invariant(node.isOn, `${nodeName} is off: no pod can start there`)
    const address = node.freeAddress(kept)
    network.addHost(address, node.address)
    const app = new App({
      timers,
      behaviour,
      servedBy: `${name}/${nodeName}`,
      listen: (listener) => network.listen({ host: address, port }, listener),
      ...(behaviour.forwardsTo === undefined
        ? {}
        : { proxy: new ReverseProxy({ timers, network: network.from(address) }) }),
    })
    const leave = (gone: VirtualPod): void => {
      node.remove(gone)
      network.removeHost(address)
    }
    const pod = new VirtualPod({ address, app, leave })
    node.add(pod)
    return pod
  }

  /** A machine without power hears nothing. */
  setRules(name: string, rules: readonly NodePortRule[]): void {
    const node = this.#node(name)
    if (node.isOn) node.rules = new Map(rules.map(({ nodePort, endpoints }) => [nodePort, endpoints]))
  }

  setPower(name: string, isOn: boolean): void {
    const node = this.#node(name)
    if (node.isOn === isOn) return
    node.isOn = isOn
    this.#parts.network.setPower(node.address, isOn)
    if (isOn) this.#forward(node)
    else node.losePower()
  }

  #node(name: string): VirtualNode {
    const node = this.#nodes.get(name)
    invariant(node !== undefined, `there is no node ${name}`)
    return node
  }

  #forward(node: VirtualNode): void {
    this.#parts.network.setForward(node.address, (port) => {
      const endpoints = node.rules.get(port)
      return endpoints === undefined ? undefined : this.#oneOf(endpoints)
    })
  }

  #oneOf(endpoints: readonly Destination[]): Destination | 'refuse' {
    return endpoints[Math.floor(this.#parts.random.next() * endpoints.length)] ?? 'refuse'
  }
}

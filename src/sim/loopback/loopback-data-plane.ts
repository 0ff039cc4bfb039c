import { connect } from 'node:net'
import { invariant } from '../../ground/model/invariant.ts'
import type { Random } from '../../ground/ports/random.ts'
import type { Timers } from '../../ground/ports/timers.ts'
import { ClusterZone } from '../dns/cluster-zone.ts'
import type { Destination, Dialled } from '../network/network.ts'
import { App } from '../plane/app.ts'
import type { AppBehaviour } from '../plane/app-behaviour.ts'
import type { DataPlane, NodePortRule, PodProcess, PodStart } from '../plane/data-plane.ts'
import { ReverseProxy } from '../plane/reverse-proxy.ts'
import { VirtualPod } from '../plane/virtual-pod.ts'
import type { World } from '../world/world.ts'
import { DnsService } from './dns-service.ts'
import { Flow } from './flow.ts'
import { HttpService } from './http-service.ts'
import { Links } from './links.ts'
import { LoopbackConnection } from './loopback-connection.ts'
import type { LoopbackNet } from './loopback-net.ts'
import { LoopbackNode, type LoopbackPod } from './loopback-node.ts'
import { NodePort, type Reached } from './node-port.ts'

interface LoopbackDataPlaneParts {
  readonly net: LoopbackNet
  readonly timers: Timers
  readonly random: Random
  /** Runs something once this turn of the event loop has read what had arrived. */
  readonly soon: (run: () => void) => void
  /** What its DNS servers answer from; without it a pod answers no DNS. */
  readonly world?: World
}

interface Entry {
  readonly node: LoopbackNode | undefined
  /** Where it leads to from there: one of these. */
  readonly endpoints: readonly Destination[]
}

/**
 * Pods as HTTP servers and node ports as forwarders, on real sockets of this machine. Faults look as on a machine: refused,
 * reset, cut off, or hanging.
 */
export class LoopbackDataPlane implements DataPlane {
  readonly #parts: LoopbackDataPlaneParts
  readonly links = new Links()
  readonly #nodes = new Map<string, LoopbackNode>()
  readonly #byAddress = new Map<string, LoopbackNode>()
  readonly #services = new Set<HttpService>()
  /** By the uid of their pods. */
  readonly #dns = new Map<string, DnsService>()
  readonly #ports = new Set<NodePort>()

  constructor(parts: LoopbackDataPlaneParts) {
    this.#parts = parts
  }

  addNode(name: string, address: string): void {
    invariant(!this.#nodes.has(name), `there is a node ${name} already`)
    const node = new LoopbackNode(address, this.#parts.net.podNet(this.#nodes.size + 1))
    this.#nodes.set(name, node)
    this.#byAddress.set(address, node)
  }

  removeNode(name: string): void {
    const node = this.#nodes.get(name)
    if (node === undefined) return
    node.goDark()
    this.#nodes.delete(name)
    this.#byAddress.delete(node.address)
  }

  newAddress(node: string): string {
    return this.#node(node).freeAddress(undefined)
  }

  startPod({ uid, name, node: nodeName, port, app: behaviour, address: wanted }: PodStart): PodProcess {
    const { timers } = this.#parts
    const node = this.#node(nodeName)
    invariant(node.isOn, `${nodeName} is off: no pod can start there`)
    const address = node.freeAddress(wanted)
    const opened: Pick<LoopbackPod, 'service' | 'endDns'>[] = []
    const app = new App({
      timers,
      behaviour,
      servedBy: `${name}/${nodeName}`,
      listen: (listener) => {
        const service = new HttpService({ ...this.#parts, links: this.links }, { host: address, port }, listener)
        this.#services.add(service)
        const endDns = this.#openDns(uid, address, behaviour)
        opened.push({ service, endDns })
        return () => {
          service.close()
          endDns()
        }
      },
      ...(behaviour.forwardsTo === undefined ? {} : { proxy: this.#proxy() }),
    })
    const pod = new VirtualPod({ address, app, leave: () => node.pods.delete(address) })
    for (const one of opened) node.pods.set(address, { pod, ...one })
    return pod
  }

  /** As by a packet filter: what comes over UDP to the DNS server in that pod is not answered. TCP goes on. */
  dropUdp(uid: string): void {
    const dns = this.#dns.get(uid)
    invariant(dns !== undefined, `no DNS server runs in pod ${uid}`)
    dns.dropUdp()
  }

  /** The servers that the DNS server in that pod forwards to are silent. */
  cutUpstream(uid: string): void {
    const dns = this.#dns.get(uid)
    invariant(dns !== undefined, `no DNS server runs in pod ${uid}`)
    dns.cutUpstream()
  }

  /** A machine without power hears nothing. */
  setRules(name: string, rules: readonly NodePortRule[]): void {
    const node = this.#node(name)
    if (!node.isOn) return
    const open = new Map(rules.filter(({ endpoints }) => endpoints.length > 0).map((rule) => [rule.nodePort, rule]))
    for (const [port, forwarder] of node.nodePorts) {
      if (open.has(port)) continue
      forwarder.close()
      node.nodePorts.delete(port)
    }
    for (const { nodePort: port, endpoints } of open.values()) {
      const forwarder = node.nodePorts.get(port)
      if (forwarder === undefined) node.nodePorts.set(port, this.#forwarder(node, { port, endpoints }))
      else forwarder.endpoints = endpoints
    }
  }

  /** A process of the machine itself, which is no pod, listens there. */
  addOwnPort(name: string, port: number): void {
    this.#node(name).ownPorts.add(port)
  }

  setPower(name: string, isOn: boolean): void {
    const node = this.#node(name)
    if (node.isOn === isOn) return
    if (isOn) node.boot()
    else node.goDark()
  }

  /** As a TCP connect to a node port is answered where no kernel accepts for us: refused and silent are told apart. */
  dial({ host, port }: Destination, answered: (dialled: Dialled) => void): void {
    const node = this.#byAddress.get(host)
    this.#enter({ node, endpoints: node?.endpointsOf(port) ?? [] }, answered)
  }

  /** Nothing listens any more, and nothing is left open. */
  end(): void {
    for (const { pods } of this.#nodes.values()) for (const { pod } of pods.values()) pod.vanish()
    for (const port of this.#ports) port.end()
    for (const service of this.#services) service.end()
    for (const dns of this.#dns.values()) dns.end()
  }

  /** In the pod of that uid, where it answers DNS. The returned function ends it. */
  #openDns(uid: string, host: string, { dns }: AppBehaviour): () => void {
    const { world, net, timers } = this.#parts
    if (dns === undefined || world === undefined) return () => undefined
    const zone = new ClusterZone(world, { zone: dns.zone, forwards: true })
    const service = new DnsService({ net, at: { host, port: dns.port }, zone, timers })
    this.#dns.set(uid, service)
    return () => {
      service.end()
      if (this.#dns.get(uid) === service) this.#dns.delete(uid)
    }
  }

  /** Pods reach each other without any node port. */
  #proxy(): ReverseProxy {
    const dial = (pod: Destination, answered: (dialled: Dialled) => void): void => {
      const node = [...this.#nodes.values()].find(({ pods }) => pods.has(pod.host))
      this.#enter({ node, endpoints: [pod] }, answered)
    }
    return new ReverseProxy({ timers: this.#parts.timers, network: { dial } })
  }

  /** By that node, which knows of the connection as long as it is on. */
  #enter({ node, endpoints }: Entry, answered: (dialled: Dialled) => void): void {
    if (node?.isOn !== true) {
      queueMicrotask(() => answered({ kind: 'silent' }))
      return
    }
    const flow = new Flow(this.#parts)
    node.flows.add(flow)
    this.#reach(endpoints, (reached) => {
      if (!flow.isLive || reached.kind !== 'open') {
        node.flows.delete(flow)
        if (reached.kind === 'open') reached.socket.destroy()
        answered({ kind: flow.isLive && reached.kind === 'refused' ? 'refused' : 'silent' })
        return
      }
      reached.socket.on('close', () => node.flows.delete(flow))
      answered({ kind: 'open', connection: new LoopbackConnection(reached.socket, flow, this.links) })
    })
  }

  #node(name: string): LoopbackNode {
    const node = this.#nodes.get(name)
    invariant(node !== undefined, `there is no node ${name}`)
    return node
  }

  #forwarder(
    node: LoopbackNode,
    { port, endpoints }: { readonly port: number; readonly endpoints: readonly Destination[] },
  ): NodePort {
    const forwarder = new NodePort({
      ...this.#parts,
      links: this.links,
      at: { host: node.address, port },
      endpoints,
      flows: node.flows,
      reach: (among, answered) => this.#reach(among, answered),
    })
    this.#ports.add(forwarder)
    return forwarder
  }

  /** Never answers within the call. */
  #reach(endpoints: readonly Destination[], answered: (reached: Reached) => void): void {
    const endpoint = endpoints[Math.floor(this.#parts.random.next() * endpoints.length)]
    if (endpoint === undefined) {
      queueMicrotask(() => answered({ kind: 'refused' }))
      return
    }
    const { host } = endpoint
    const isThere = this.#byAddress.has(host) || [...this.#nodes.values()].some(({ pods }) => pods.has(host))
    const real = this.#parts.net.locate(endpoint)
    if (!isThere || real === undefined) {
      queueMicrotask(() => answered({ kind: isThere ? 'refused' : 'silent' }))
      return
    }
    const socket = connect({ ...real, noDelay: true })
    const failed = (): void => answered({ kind: 'refused' })
    socket.once('error', failed)
    socket.once('connect', () => {
      socket.off('error', failed)
      answered({ kind: 'open', socket })
    })
  }
}

import { invariant } from '../../ground/model/invariant.ts'
import type { Random } from '../../ground/ports/random.ts'
import type { Timers } from '../../ground/ports/timers.ts'
import type { Destination, Dialled, Listener, Network, NetworkReply, NetworkRequest } from './network.ts'
import { Partitions } from './partitions.ts'
import { Path } from './path.ts'
import { VirtualConnection } from './virtual-connection.ts'
import { type Forward, VirtualHost } from './virtual-host.ts'
import { Wire } from './wire.ts'

interface VirtualNetworkParts {
  readonly timers: Timers
  readonly random: Random
}

type Answered = (dialled: Dialled) => void

interface Route {
  readonly host: VirtualHost | undefined
  readonly target: VirtualHost | undefined
  readonly port: number
  readonly isRefused: boolean
}

const SILENT: Dialled = { kind: 'silent' }
const REFUSED: Dialled = { kind: 'refused' }

/**
 * Hosts, and connections between them. TCP is modelled as programs see it: refused, silent, reset, closed in order. A
 * dial takes one event, a request one for each direction, a close one.
 */
export class VirtualNetwork implements Network {
  readonly #wire: Wire
  readonly #hosts = new Map<string, VirtualHost>()
  readonly #partitions = new Partitions()
  /** The host of a client that dials without naming a host: always on, and never cut off from another host. */
  readonly #outside = new VirtualHost('', undefined)

  constructor({ timers, random }: VirtualNetworkParts) {
    this.#wire = new Wire(timers, random)
  }

  /** The network as programs on that host see it: what they dial goes with its power, and stops where it is cut off. */
  from(host: string): Network {
    return {
      dial: (to, answered) => this.#dial(this.#hosts.get(host), to, answered),
      sureAnswer: (to, request) => this.#sureAnswer(this.#hosts.get(host), to, request),
      listen: (at, listener) => this.listen(at, listener),
      addHost: (name) => this.addHost(name),
      setPower: (name, isOn) => this.setPower(name, isOn),
      removeHost: (name) => this.removeHost(name),
    }
  }

  dial(to: Destination, answered: Answered): void {
    this.#dial(this.#outside, to, answered)
  }

  listen({ host, port }: Destination, listener: Listener): () => void {
    const { listeners, isOn } = this.#host(host)
    invariant(isOn, `${host} is off: nothing runs there that could listen`)
    invariant(!listeners.has(port), `somebody listens at ${host}:${port} already`)
    listeners.set(port, listener)
    return () => {
      if (listeners.get(port) === listener) listeners.delete(port)
    }
  }

  /** `behind`: the host that routes for it; without that one's power it is gone. */
  addHost(host: string, behind?: string): void {
    invariant(!this.#hosts.has(host), `there is a host ${host} already`)
    this.#hosts.set(host, new VirtualHost(host, behind === undefined ? undefined : this.#host(behind)))
  }

  setPower(name: string, isOn: boolean): void {
    const host = this.#host(name)
    if (host.isOn === isOn) return
    host.isOn = isOn
    if (isOn) {
      for (const run of host.dark.lift()) this.#wire.resend(run)
    } else {
      host.forget()
      for (const guest of host.guests) this.removeHost(guest.name)
    }
  }

  removeHost(name: string): void {
    const host = this.#hosts.get(name)
    if (host === undefined) return
    this.#hosts.delete(name)
    host.behind?.guests.delete(host)
    host.isGone = true
    host.forget()
    for (const guest of host.guests) this.removeHost(guest.name)
  }

  /** New connections to ports that `forward` knows go where it says, and stay there; forgotten with the host's power. */
  setForward(host: string, forward: Forward): void {
    this.#host(host).forward = forward
  }

  /**
   * Nothing passes between the two, though both are on. What is sent meanwhile arrives, late, after the returned function
   * has healed it.
   */
  partition(a: string, b: string): () => void {
    this.#partitions.cut(a, b)
    return () => {
      for (const run of this.#partitions.heal(a, b)) this.#wire.resend(run)
    }
  }

  /** What becomes of a packet that leaves now, without a program that hears of it. */
  finds(from: string, to: Destination): Dialled['kind'] {
    const sender = this.#hosts.get(from)
    const route = this.#route(to)
    if (sender?.isOn !== true || this.#pathOf(sender, route)?.reach('there') !== 'clear') return 'silent'
    return !route.isRefused && route.target?.listeners.has(route.port) === true ? 'open' : 'refused'
  }

  #host(name: string): VirtualHost {
    const host = this.#hosts.get(name)
    invariant(host !== undefined, `there is no host ${name}`)
    return host
  }

  #dial(from: VirtualHost | undefined, to: Destination, answered: Answered): void {
    if (from === undefined || !from.isOn) return
    const fromBoot = from.boot
    this.#wire.roundTrip(() => {
      if (!from.isGone && from.boot === fromBoot) answered(this.#answer(from, to))
    })
  }

  #sureAnswer(from: VirtualHost | undefined, to: Destination, request: NetworkRequest): NetworkReply | undefined {
    if (from?.isOn !== true || this.#partitions.isAny) return undefined
    const { host, target, port, isRefused } = this.#route(to)
    if (host?.isOn !== true || target?.isOn !== true || isRefused || target.behind?.isOn === false) return undefined
    return target.listeners.get(port)?.sureAnswer?.(request)
  }

  /** Where a new connection leads: `host` is the one that was named, `target` the one behind its forwarding. */
  #route(to: Destination): Route {
    const host = this.#hosts.get(to.host)
    const forwarded = host?.forward?.(to.port)
    const { host: name, port } = typeof forwarded === 'object' ? forwarded : to
    return { host, target: this.#hosts.get(name), port, isRefused: forwarded === 'refuse' }
  }

  #pathOf(from: VirtualHost, { host, target }: Pick<Route, 'host' | 'target'>): Path | undefined {
    if (host === undefined || target === undefined) return undefined
    const path = new Path(this.#partitions).add(from).add(host)
    return target === host ? path : path.add(target)
  }

  #answer(from: VirtualHost, to: Destination): Dialled {
    const route = this.#route(to)
    const path = this.#pathOf(from, route)
    if (path?.reach('there') !== 'clear') return SILENT
    const accepted = route.isRefused ? undefined : route.target?.listeners.get(route.port)?.accept(from.name)
    if (accepted === undefined) return REFUSED
    return { kind: 'open', connection: new VirtualConnection({ wire: this.#wire, path, accepted }) }
  }
}

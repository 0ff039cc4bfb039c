import type { Blockage } from './blockage.ts'
import type { Partitions } from './partitions.ts'
import type { VirtualHost } from './virtual-host.ts'

interface Hop {
  readonly host: VirtualHost
  readonly boot: number
  /** It holds state of the connection (socket, conntrack entry): without it a packet is answered by a reset. */
  holdsState: boolean
}

/** Which way along a path: to the end that listens, or to the one that dialled. */
export type Way = 'there' | 'back'

/** `reset`: a host on the way is up and knows nothing of it. `lost`: no answer will ever come. Else blocked for now. */
type Reach = 'clear' | 'reset' | 'lost' | Blockage

/** The hosts that one connection passes, in order, the two ends among them. */
export class Path {
  readonly #partitions: Partitions
  readonly #hops: Hop[] = []

  constructor(partitions: Partitions) {
    this.#partitions = partitions
  }

  /** The next host that holds state of the connection; first the one that dialled. */
  add(host: VirtualHost): this {
    const isFirst = this.#hops.length === 0
    if (isFirst) this.#push(host, true)
    if (host.behind !== undefined) this.#push(host.behind, false)
    if (!isFirst) this.#push(host, true)
    return this
  }

  /** What happens to a packet on its way to that end; the state of its sender does not matter any more. */
  reach(way: Way): Reach {
    const hops = this.#hops
    const [first, step] = way === 'there' ? [0, 1] : [hops.length - 1, -1]
    let last = hops[first]?.host.name ?? ''
    for (let at = first + step, hop = hops[at]; hop !== undefined; at += step, hop = hops[at]) {
      const cut = this.#partitions.between(last, hop.host.name)
      if (cut !== undefined) return cut
      if (hop.host.isGone) return 'lost'
      if (!hop.host.isOn) return hop.host.dark
      if (hop.holdsState && hop.host.boot !== hop.boot) return 'reset'
      last = hop.host.name
    }
    return 'clear'
  }

  /** Whether the program at the end that packets of this way come from still runs. */
  isSenderAlive(way: Way): boolean {
    const hop = way === 'there' ? this.#hops[0] : this.#hops.at(-1)
    return hop?.host.isOn === true && !hop.host.isGone && hop.host.boot === hop.boot
  }

  #push(host: VirtualHost, holdsState: boolean): void {
    const last = this.#hops.at(-1)
    if (last?.host === host) last.holdsState ||= holdsState
    else this.#hops.push({ host, boot: host.boot, holdsState })
  }
}

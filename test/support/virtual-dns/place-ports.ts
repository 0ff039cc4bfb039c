import { queryMessage, readReply } from '../../../src/dns/io/message.ts'
import { SocketAsker } from '../../../src/dns/io/socket-asker.ts'
import type { ControlProbe } from '../../../src/dns/ports/control-probe.ts'
import type { DnsAsker } from '../../../src/dns/ports/dns-asker.ts'
import type { DnsRelay, DnsRelays } from '../../../src/dns/ports/dns-relays.ts'
import type { PodCounters } from '../../../src/dns/ports/pod-counters.ts'
import type { PodLoopback } from '../../../src/dns/ports/pod-loopback.ts'
import type { ProcessPorts } from '../virtual-roll/process-ports.ts'
import type { Place } from './dns-faults.ts'
import type { DnsNetwork } from './dns-network.ts'
import type { DnsPods } from './dns-pods.ts'
import { virtualSockets } from './virtual-sockets.ts'

interface PlaceParts {
  readonly ports: Pick<ProcessPorts, 'clock' | 'random' | 'lifeline'>
  readonly network: DnsNetwork
  readonly place: Place
}

export function askerAt({ ports: { clock, random, lifeline }, network, place }: PlaceParts): DnsAsker {
  return new SocketAsker(clock, random, virtualSockets({ network, place, isDead: () => lifeline.isDead }))
}

const CONTROL_MS = 2

/** Whether the API server answers at its cluster IP. What never comes back is waited for until the caller has enough. */
export const controlAt = ({ ports: { clock }, network, place }: PlaceParts): ControlProbe => ({
  reaches: async (_api, signal) => {
    await clock.sleep(CONTROL_MS, signal)
    const answer = network.reachesApi(place)
    if (answer !== undefined) return answer
    const { promise, reject } = Promise.withResolvers<never>()
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    return promise
  },
})

interface LoopbackParts extends Omit<PlaceParts, 'place'> {
  readonly pods: DnsPods
  /** Why there is no way into a pod of that node; absent: there is one. */
  readonly noWayTo: (node: string) => string | undefined
}

/** By port-forward, which leads through the API server and a kubelet. */
export const loopbackOf = ({ ports, network, pods, noWayTo }: LoopbackParts): PodLoopback => ({
  ask: async ({ pod: { name }, question, timeoutMs }, signal) => {
    const pod = pods.named(name)
    const why = pod === undefined ? `there is no pod ${name}` : noWayTo(pod.node)
    if (pod === undefined || why !== undefined) return { kind: 'notAsked', text: why ?? '' }
    const message = queryMessage(question, Number.parseInt(ports.random.hex(2), 16))
    const begunAt = ports.clock.monoMs()
    const { promise, resolve } = Promise.withResolvers<Buffer | undefined>()
    network.sendWithin(pod, message.bytes, resolve)
    ports.clock.sleep(timeoutMs, signal).then(
      () => resolve(undefined),
      () => resolve(undefined),
    )
    const bytes = await promise
    signal.throwIfAborted()
    if (bytes === undefined) return { kind: 'timeout' }
    const reply = readReply(bytes, message)
    if (typeof reply === 'string') return { kind: 'mismatch', what: reply, count: 1 }
    return { kind: 'reply', reply, afterMs: ports.clock.monoMs() - begunAt }
  },
})

/** By port-forward as well. */
export const countersOf = ({ network, pods, noWayTo }: LoopbackParts): PodCounters => ({
  udpCounts: async ({ name }) => {
    const pod = pods.named(name)
    const why = pod === undefined ? `there is no pod ${name}` : noWayTo(pod.node)
    if (pod === undefined || why !== undefined) return { kind: 'unknown', text: why ?? '' }
    return { kind: 'counts', counts: { ...network.counts(pod.uid) } }
  },
})

interface RelaysParts extends PlaceParts {
  /** Why no relay runs on that node; absent: one does. */
  readonly refusalOf: (node: string) => string | undefined
}

const STARTS_MS = 1_500

/** Pods of ours on those nodes. */
export const relaysOf = (parts: RelaysParts): DnsRelays => ({
  open: async (nodes, signal) => {
    await parts.ports.clock.sleep(STARTS_MS, signal)
    const refused = nodes.flatMap((node) => parts.refusalOf(node) ?? [])
    const open = nodes.filter((node) => parts.refusalOf(node) === undefined)
    return {
      relays: open.map((node) => relayOn(node, parts)),
      notes: refused,
      isLacking: open.length < nodes.length,
      close: async () => [],
    }
  },
})

function relayOn(node: string, { ports, network, place: { owner } }: RelaysParts): DnsRelay {
  const place: Place = { owner, name: `relay ${node}`, node, isHost: false }
  const asker = askerAt({ ports, network, place })
  const isOpen = (): boolean => network.isOn(place)
  return {
    name: place.name,
    node,
    isOpen,
    control: controlAt({ ports, network, place }),
    asker: {
      ask: async (query, signal) =>
        isOpen() ? asker.ask(query, signal) : { kind: 'notAsked', text: `relay ${node} is lost` },
      canary: (at) => asker.canary(at),
    },
  }
}

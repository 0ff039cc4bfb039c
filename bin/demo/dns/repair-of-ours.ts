import { hostname } from 'node:os'
import type { RepairHearing } from '../../../src/demo/dns/dns-demo-actions.ts'
import { ForwardedLoopback } from '../../../src/dns/io/forwarded-loopback.ts'
import { kubeDnsObjects } from '../../../src/dns/io/kube-dns-objects.ts'
import { kubeDnsRepairer } from '../../../src/dns/io/kube-dns-repairer.ts'
import { SocketAsker } from '../../../src/dns/io/socket-asker.ts'
import type { DnsObjects } from '../../../src/dns/ports/dns-objects.ts'
import type { DnsRelays } from '../../../src/dns/ports/dns-relays.ts'
import { checkDns } from '../../../src/dns/run/check-dns.ts'
import { PastRepairs } from '../../../src/dns/run/past-repairs.ts'
import { type RepairOrBusy, repairAlone } from '../../../src/dns/run/repair-alone.ts'
import { repairDns } from '../../../src/dns/run/repair-dns.ts'
import { kubeConfigMaps } from '../../../src/ground/kube/kube-config-maps.ts'
import { kubeLeaderLease } from '../../../src/ground/kube/kube-leader-lease.ts'
import type { openApi } from '../../../src/ground/kube/open-cluster.ts'
import { systemClock as clock } from '../../../src/ground/machine/system-clock.ts'
import { systemRandom as random } from '../../../src/ground/machine/system-random.ts'
import { present } from '../../../src/ground/model/present.ts'
import type { DnsCluster } from './dns-cluster.ts'
import { loopbackSockets } from './loopback-sockets.ts'
import { PlainApiControl } from './plain-api-control.ts'

export type OpenedApi = Awaited<ReturnType<typeof openApi>>['parts']

/** As `dns check --timeout`: on loopback an answer takes a millisecond. */
const TIMEOUT_MS = 500
/** A repair on a real cluster watches for a minute: during that time old entries of connection tracking may mislead clients. */
const WATCH = { forMs: 10_000, everyMs: 3_000 }
const NAMESPACE = 'evenkeel'
const LEASE = { namespace: NAMESPACE, name: 'evenkeel-dns-repair' }

interface RepairOfOurs {
  readonly parts: OpenedApi
  readonly hears: RepairHearing
}

/**
 * `evenkeel dns repair`, as on a real cluster: its check, its guards and its adapters, over the API of the embedded cluster. In place
 * of Jobs on two nodes, queries are sent from the loopback addresses of two nodes.
 */
export function repairOfOurs(
  ground: DnsCluster,
  { parts, hears }: RepairOfOurs,
  signal: AbortSignal,
): Promise<RepairOrBusy> {
  const { client } = parts
  const ours = kubeDnsRepairer(parts)
  const check = async (limited: AbortSignal) => {
    const found = await checkDns(checkParts(ground, parts), limited)
    hears.onCheck(found)
    return found
  }
  const repairParts = {
    check,
    repairer: {
      ...ours,
      quarantine: (pod: Parameters<typeof ours.quarantine>[0], limited: AbortSignal) => {
        hears.onTouch()
        return ours.quarantine(pod, limited)
      },
    },
    past: new PastRepairs(kubeConfigMaps(client), NAMESPACE),
    clock,
    say: (text: string) => hears.onWord(text),
    watch: WATCH,
  }
  const identity = `${hostname()}_${random.hex(6)}`
  const alone = { leases: kubeLeaderLease(client), clock, random, lease: LEASE, identity }
  return repairAlone(alone, (leader) => repairDns(repairParts, leader, signal), signal)
}

/** A repair waits until a pod has run for a minute. The demo does not wait: here each Ready pod counts as a minute old. */
const olderPods = (objects: DnsObjects): DnsObjects => ({
  ...objects,
  pods: async (...of) =>
    (await objects.pods(...of)).map(({ runningSince, ...pod }) => ({
      ...pod,
      ...present({ runningSince: pod.ready ? new Date(0).toISOString() : runningSince }),
    })),
})

const checkParts = (ground: DnsCluster, parts: OpenedApi) => ({
  objects: olderPods(kubeDnsObjects(parts)),
  ...placeOf(ground),
  loopback: new ForwardedLoopback({ ...parts, clock, random }),
  clock,
  random,
  sought: {},
  timeoutMs: TIMEOUT_MS,
  relays: [nodeRelays(ground)],
})

/** Asks from this address of a node, or from any address of this machine. */
function placeOf({ net, ports }: DnsCluster, address?: string) {
  const sockets = loopbackSockets(net, address)
  return { asker: new SocketAsker(clock, random, sockets), control: new PlainApiControl(sockets, ports.api) }
}

const nodeRelays = (ground: DnsCluster): DnsRelays => ({
  open: async (wanted) => ({
    relays: ground.nodes
      .filter(({ name }) => wanted.includes(name))
      .map(({ name, address }) => ({
        name: `node ${name}`,
        node: name,
        ...placeOf(ground, address),
        isOpen: () => true,
      })),
    notes: [],
    isLacking: false,
    close: async () => [],
  }),
})

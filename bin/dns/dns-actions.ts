import { hostname } from 'node:os'
import type { DnsActions } from '../../src/dns/cli/dns-command.ts'
import type { DnsPlace } from '../../src/dns/cli/dns-place.ts'
import type { PodResolver } from '../../src/dns/decide/pod-resolver.ts'
import { ApiControl } from '../../src/dns/io/api-control.ts'
import { ForwardedCounters } from '../../src/dns/io/forwarded-counters.ts'
import { ForwardedLoopback } from '../../src/dns/io/forwarded-loopback.ts'
import { kubeDnsObjects } from '../../src/dns/io/kube-dns-objects.ts'
import { kubeDnsRepairer } from '../../src/dns/io/kube-dns-repairer.ts'
import { EphemeralRelays } from '../../src/dns/io/relay/ephemeral-relays.ts'
import { ExecRelays } from '../../src/dns/io/relay/exec-relays.ts'
import { JobRelays } from '../../src/dns/io/relay/job-relays.ts'
import { SocketAsker } from '../../src/dns/io/socket-asker.ts'
import { OWN_SOCKETS } from '../../src/dns/io/sockets.ts'
import { type CheckParts, checkDns, DnsChecks } from '../../src/dns/run/check-dns.ts'
import { PastRepairs } from '../../src/dns/run/past-repairs.ts'
import { repairAlone } from '../../src/dns/run/repair-alone.ts'
import { repairDns, wouldRepair } from '../../src/dns/run/repair-dns.ts'
import type { WatchedDns } from '../../src/dns/run/watch-dns.ts'
import type { FollowParts } from '../../src/ground/kube/follow.ts'
import { kubeConfigMaps } from '../../src/ground/kube/kube-config-maps.ts'
import { kubeLeaderLease } from '../../src/ground/kube/kube-leader-lease.ts'
import { systemClock as clock } from '../../src/ground/machine/system-clock.ts'
import { systemRandom as random } from '../../src/ground/machine/system-random.ts'
import { systemTimers } from '../../src/ground/machine/system-timers.ts'
import { present } from '../../src/ground/model/present.ts'
import { openHttpDoor } from '../../src/ground/net/http-door.ts'
import type { Log } from '../../src/ground/ports/log.ts'
import { ownResolver } from '../process/own-resolver.ts'

interface Surroundings {
  readonly version: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly log: Log
  readonly open: OpenDnsApi
}

/** `node`: the node of this process, where it is known. */
type DnsApi = FollowParts & { readonly node?: string }

/** Opens the API server, with one request. */
export type OpenDnsApi = (
  place: DnsPlace,
  surroundings: Pick<Surroundings, 'version' | 'env' | 'log'>,
  signal: AbortSignal,
) => Promise<DnsApi>

export const dnsActions = (surroundings: Surroundings): DnsActions => ({
  check: async (place, signal) => {
    const parts = await opened(place, surroundings, signal)
    return checkDns(checkParts(parts, place), signal)
  },
  watch: (place) => watched(place, surroundings),
  openPages: (at, pages) => openHttpDoor({ place: at, timers: systemTimers }, pages),
  wouldRepair: async (place, signal) => {
    const parts = await opened(place, surroundings, signal)
    return wouldRepair(repairParts(parts, place, nothing), signal)
  },
  repair: async (place, say, signal) => {
    const parts = await opened(place, surroundings, signal)
    const { namespace } = place
    const lease = { namespace, name: REPAIR_LEASE }
    const identity = `${hostname()}_${random.hex(6)}`
    const alone = { leases: kubeLeaderLease(parts.client), clock, random, lease, identity }
    return repairAlone(alone, (leader) => repairDns(repairParts(parts, place, say), leader, signal), signal)
  },
})

/** The first check opens the API server, and the next one again if that failed. */
function watched(place: DnsPlace, surroundings: Surroundings): WatchedDns {
  let checks: DnsChecks | undefined
  return {
    random,
    next: async (signal) => {
      checks ??= new DnsChecks(checkParts(await opened(place, surroundings, signal), place))
      return checks.next({}, signal)
    },
    close: async () => (await checks?.close()) ?? [],
  }
}

/** Held during a repair of DNS: only one at a time in the whole cluster. */
export const REPAIR_LEASE = 'evenkeel-dns-repair'
const nothing = (): void => undefined

const opened = async (place: DnsPlace, surroundings: Surroundings, signal: AbortSignal) => ({
  ...(await surroundings.open(place, surroundings, signal)),
  resolver: await ownResolver(surroundings.env),
})

type Opened = DnsApi & { readonly resolver: PodResolver | undefined }

export function checkParts({ resolver, ...parts }: Opened, place: DnsPlace): CheckParts {
  const { image = '', relay, ephemeral, exec, namespace, sought, timeoutMs, queriesPerSecond } = place
  const node = place.node ?? parts.node
  return {
    objects: kubeDnsObjects(parts),
    asker: new SocketAsker(clock, random),
    loopback: new ForwardedLoopback({ ...parts, clock, random }),
    counters: new ForwardedCounters({ ...parts, clock }),
    control: new ApiControl(OWN_SOCKETS),
    clock,
    random,
    sought: resolver === undefined ? sought : { ...sought, resolver },
    timeoutMs,
    queriesPerSecond,
    ...present({ node }),
    relays: [
      ...(relay ? [new JobRelays({ ...parts, namespace, image, clock, random })] : []),
      ...(ephemeral === undefined ? [] : [new EphemeralRelays({ ...parts, pod: ephemeral, image, clock, random })]),
      ...(exec === undefined ? [] : [new ExecRelays({ ...parts, ...exec, clock, random })]),
    ],
  }
}

const repairParts = (parts: Opened, place: DnsPlace, say: (text: string) => void) => ({
  check: (signal: AbortSignal) => checkDns(checkParts(parts, place), signal),
  repairer: kubeDnsRepairer(parts),
  past: new PastRepairs(kubeConfigMaps(parts.client), place.namespace),
  clock,
  say,
})

import { hostname } from 'node:os'
import { ApiControl } from '../../src/adapters/dns/api-control.ts'
import { ForwardedCounters } from '../../src/adapters/dns/forwarded-counters.ts'
import { ForwardedLoopback } from '../../src/adapters/dns/forwarded-loopback.ts'
import { EphemeralRelays } from '../../src/adapters/dns/relay/ephemeral-relays.ts'
import { ExecRelays } from '../../src/adapters/dns/relay/exec-relays.ts'
import { JobRelays } from '../../src/adapters/dns/relay/job-relays.ts'
import { SocketAsker } from '../../src/adapters/dns/socket-asker.ts'
import { OWN_SOCKETS } from '../../src/adapters/dns/sockets.ts'
import { openHttpDoor } from '../../src/adapters/http/http-door.ts'
import type { FollowParts } from '../../src/adapters/kube/follow.ts'
import { kubeConfigMaps } from '../../src/adapters/kube/kube-config-maps.ts'
import { kubeDnsObjects } from '../../src/adapters/kube/kube-dns-objects.ts'
import { kubeDnsRepairer } from '../../src/adapters/kube/kube-dns-repairer.ts'
import { kubeLeaderLease } from '../../src/adapters/kube/kube-leader-lease.ts'
import { systemClock as clock } from '../../src/adapters/node/system-clock.ts'
import { systemRandom as random } from '../../src/adapters/node/system-random.ts'
import { systemTimers } from '../../src/adapters/node/system-timers.ts'
import type { DnsPlace } from '../../src/cli/dns/dns-place.ts'
import type { DnsActions } from '../../src/cli/dns-command.ts'
import { type CheckParts, checkDns, DnsChecks } from '../../src/controllers/dns/check-dns.ts'
import { PastRepairs } from '../../src/controllers/dns/past-repairs.ts'
import { repairAlone } from '../../src/controllers/dns/repair-alone.ts'
import { repairDns, wouldRepair } from '../../src/controllers/dns/repair-dns.ts'
import type { WatchedDns } from '../../src/controllers/dns/watch-dns.ts'
import type { PodResolver } from '../../src/core/dns/pod-resolver.ts'
import type { Log } from '../../src/ports/log.ts'
import { ownResolver } from '../process/own-resolver.ts'

interface Surroundings {
  readonly version: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly log: Log
  readonly open: OpenDnsApi
}

/** `node`: that this runs on, where that is known. */
type DnsApi = FollowParts & { readonly node?: string }

/** The way to the API server, which was asked once. */
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

/** The API server is asked first by the first check, and again by the next one where that failed. */
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

/** Held while DNS is repaired: one at a time, in the whole cluster. */
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
    ...(node === undefined ? {} : { node }),
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

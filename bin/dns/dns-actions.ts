import { hostname } from 'node:os'
import { ApiControl } from '../../src/adapters/dns/api-control.ts'
import { ForwardedLoopback } from '../../src/adapters/dns/forwarded-loopback.ts'
import { EphemeralRelays } from '../../src/adapters/dns/relay/ephemeral-relays.ts'
import { JobRelays } from '../../src/adapters/dns/relay/job-relays.ts'
import { SocketAsker } from '../../src/adapters/dns/socket-asker.ts'
import { OWN_SOCKETS } from '../../src/adapters/dns/sockets.ts'
import { openHttpDoor } from '../../src/adapters/http/http-door.ts'
import { kubeConfigMaps } from '../../src/adapters/kube/kube-config-maps.ts'
import { kubeDnsObjects } from '../../src/adapters/kube/kube-dns-objects.ts'
import { kubeDnsRepairer } from '../../src/adapters/kube/kube-dns-repairer.ts'
import { kubeLeaderLease } from '../../src/adapters/kube/kube-leader-lease.ts'
import { openApi } from '../../src/adapters/kube/open-cluster.ts'
import { systemClock as clock } from '../../src/adapters/node/system-clock.ts'
import { systemRandom as random } from '../../src/adapters/node/system-random.ts'
import { systemTimers } from '../../src/adapters/node/system-timers.ts'
import type { DnsPlace } from '../../src/cli/dns/dns-place.ts'
import type { DnsActions } from '../../src/cli/dns-command.ts'
import { checkDns, DnsChecks } from '../../src/controllers/dns/check-dns.ts'
import { PastRepairs } from '../../src/controllers/dns/past-repairs.ts'
import { repairAlone } from '../../src/controllers/dns/repair-alone.ts'
import { repairDns, wouldRepair } from '../../src/controllers/dns/repair-dns.ts'
import type { WatchedDns } from '../../src/controllers/dns/watch-dns.ts'
import type { Log } from '../../src/ports/log.ts'

interface Surroundings {
  readonly version: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly log: Log
}

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
const REPAIR_LEASE = 'evenkeel-dns-repair'
const nothing = (): void => undefined

async function opened({ kubeconfig, context }: DnsPlace, { version, env, log }: Surroundings, signal: AbortSignal) {
  const kubeconfigPath = kubeconfig ?? env.KUBECONFIG
  const userAgent = `evenkeel/${version}`
  return (await openApi({ kubeconfigPath, context, env, clock, random, log, userAgent }, signal)).parts
}

type Opened = Awaited<ReturnType<typeof opened>>

function checkParts(parts: Opened, { node, image = '', relay, ephemeral, namespace, sought, timeoutMs }: DnsPlace) {
  return {
    objects: kubeDnsObjects(parts),
    asker: new SocketAsker(clock, random),
    loopback: new ForwardedLoopback({ ...parts, clock, random }),
    control: new ApiControl(OWN_SOCKETS),
    clock,
    random,
    sought,
    timeoutMs,
    ...(node === undefined ? {} : { node }),
    relays: [
      ...(relay ? [new JobRelays({ ...parts, namespace, image, clock, random })] : []),
      ...(ephemeral === undefined ? [] : [new EphemeralRelays({ ...parts, pod: ephemeral, image, clock, random })]),
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

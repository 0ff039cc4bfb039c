import process from 'node:process'
import type { ApiClient } from '../../src/adapters/kube/api-client.ts'
import { ApiReach } from '../../src/adapters/kube/api-reach.ts'
import { kubeConfigMaps } from '../../src/adapters/kube/kube-config-maps.ts'
import { kubeDnsRepairer } from '../../src/adapters/kube/kube-dns-repairer.ts'
import { kubeLeaderLease } from '../../src/adapters/kube/kube-leader-lease.ts'
import { kubeObjectNotices } from '../../src/adapters/kube/kube-object-notices.ts'
import { kubeServiceConditions } from '../../src/adapters/kube/kube-service-conditions.ts'
import { systemClock as clock } from '../../src/adapters/node/system-clock.ts'
import { systemRandom as random } from '../../src/adapters/node/system-random.ts'
import type { ControllerOptions, DnsLoopOptions } from '../../src/config/controller-options.ts'
import { DnsChecks } from '../../src/controllers/dns/check-dns.ts'
import { DnsLoop } from '../../src/controllers/dns/dns-loop.ts'
import { LoopRepair } from '../../src/controllers/dns/loop-repair.ts'
import { QUERIES_PER_SECOND } from '../../src/controllers/dns/paced-asker.ts'
import { PastRepairs } from '../../src/controllers/dns/past-repairs.ts'
import { ToldHealth } from '../../src/controllers/dns/told-health.ts'
import type { Log } from '../../src/ports/log.ts'
import type { Leader } from '../../src/runtime/leader.ts'
import { checkParts, REPAIR_LEASE } from '../dns/dns-actions.ts'
import { ownResolver } from '../process/own-resolver.ts'

interface DnsLoopPlace {
  readonly client: ApiClient
  readonly leader: Leader
  readonly identity: string
  readonly options: Pick<ControllerOptions, 'namespace'>
  readonly dns: DnsLoopOptions
  readonly log: Log
}

/** A query without an answer by then is lost, as for `evenkeel dns check`. */
const TIMEOUT_MS = 1_000

/** The loop of DNS, asked from this process and, where there is an image, by relays in the namespace of the controller. */
export async function openDnsLoop({
  client,
  leader,
  identity,
  options: { namespace },
  dns,
  log,
}: DnsLoopPlace): Promise<DnsLoop> {
  const { image, node, intervalMs } = dns
  const resolver = await ownResolver(process.env)
  const api = { client, reach: new ApiReach(clock), clock, random, log, resolver }
  const place = {
    relay: image !== undefined,
    namespace,
    sought: {},
    timeoutMs: TIMEOUT_MS,
    queriesPerSecond: QUERIES_PER_SECOND,
    ...(image === undefined ? {} : { image }),
    ...(node === undefined ? {} : { node }),
  }
  const notices = kubeObjectNotices({ client, clock, random, identity })
  const repair = new LoopRepair({
    leases: kubeLeaderLease(client),
    clock,
    random,
    lease: { namespace, name: REPAIR_LEASE },
    identity,
    repairer: kubeDnsRepairer(api),
    past: new PastRepairs(kubeConfigMaps(client), namespace),
    notices,
    leader,
    log,
  })
  return new DnsLoop({
    checks: new DnsChecks(checkParts(api, place)),
    health: new ToldHealth({ conditions: kubeServiceConditions(api), notices, clock }),
    leader,
    intervalMs,
    clock,
    random,
    log,
    ...(dns.repair ? { repair } : {}),
  })
}

import process from 'node:process'
import { kubeDnsRepairer } from '../../src/dns/io/kube-dns-repairer.ts'
import { kubeServiceConditions } from '../../src/dns/io/kube-service-conditions.ts'
import { AnnouncedHealth } from '../../src/dns/run/announced-health.ts'
import { DnsChecks } from '../../src/dns/run/check-dns.ts'
import { DnsLoop } from '../../src/dns/run/dns-loop.ts'
import { LoopRepair } from '../../src/dns/run/loop-repair.ts'
import { QUERIES_PER_SECOND } from '../../src/dns/run/paced-asker.ts'
import { PastRepairs } from '../../src/dns/run/past-repairs.ts'
import type { ApiClient } from '../../src/ground/kube/api-client.ts'
import { ApiReach } from '../../src/ground/kube/api-reach.ts'
import { kubeConfigMaps } from '../../src/ground/kube/kube-config-maps.ts'
import { kubeLeaderLease } from '../../src/ground/kube/kube-leader-lease.ts'
import { kubeObjectNotices } from '../../src/ground/kube/kube-object-notices.ts'
import type { Leader } from '../../src/ground/loop/leader.ts'
import { systemClock as clock } from '../../src/ground/machine/system-clock.ts'
import { systemRandom as random } from '../../src/ground/machine/system-random.ts'
import { present } from '../../src/ground/model/present.ts'
import type { Log } from '../../src/ground/ports/log.ts'
import { checkParts, REPAIR_LEASE } from '../dns/dns-actions.ts'
import { ownResolver } from '../process/own-resolver.ts'
import type { ControllerOptions, DnsLoopOptions } from './controller-options.ts'

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

/** The loop of DNS, which asks from this process and, where there is an image, by relays in the namespace of the controller. */
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
    ...present({ image, node }),
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
    health: new AnnouncedHealth({ conditions: kubeServiceConditions(api), notices, clock }),
    leader,
    intervalMs,
    clock,
    random,
    log,
    ...(dns.repair ? { repair } : {}),
  })
}

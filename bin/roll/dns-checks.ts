import { ApiControl } from '../../src/dns/io/api-control.ts'
import { kubeDnsObjects } from '../../src/dns/io/kube-dns-objects.ts'
import { JobRelays } from '../../src/dns/io/relay/job-relays.ts'
import { SocketAsker } from '../../src/dns/io/socket-asker.ts'
import { OWN_SOCKETS } from '../../src/dns/io/sockets.ts'
import type { PodLoopback } from '../../src/dns/ports/pod-loopback.ts'
import { DnsChecks } from '../../src/dns/run/check-dns.ts'
import { systemClock as clock } from '../../src/ground/machine/system-clock.ts'
import { systemRandom as random } from '../../src/ground/machine/system-random.ts'
import { present } from '../../src/ground/model/present.ts'
import type { RollSpec } from '../../src/roll/model/roll-spec.ts'
import type { ClusterPlace } from './world.ts'

const TIMEOUT_MS = 1_000

/**
 * A port-forward into pods of DNS would show the state of their processes, which decides nothing here, and needs a right of its
 * own.
 */
const noLoopback: PodLoopback = {
  ask: () => Promise.resolve({ kind: 'notAsked', text: 'a roll asks no pod by port-forward' }),
}

/** How a roll checks DNS of its cluster; undefined where it does not. Opens nothing yet. */
export function dnsChecksOf({ dns }: RollSpec, { api }: ClusterPlace): DnsChecks | undefined {
  if (dns === undefined) return undefined
  const { service, zone, image, namespace } = dns
  return new DnsChecks({
    objects: kubeDnsObjects(api),
    asker: new SocketAsker(clock, random),
    loopback: noLoopback,
    control: new ApiControl(OWN_SOCKETS),
    clock,
    random,
    sought: { ...present({ service, zone }) },
    timeoutMs: TIMEOUT_MS,
    relays: image === undefined ? [] : [new JobRelays({ ...api, namespace, image, clock, random })],
  })
}

import { ApiControl } from '../../src/adapters/dns/api-control.ts'
import { ForwardedLoopback } from '../../src/adapters/dns/forwarded-loopback.ts'
import { JobRelays } from '../../src/adapters/dns/relay/job-relays.ts'
import { SocketAsker } from '../../src/adapters/dns/socket-asker.ts'
import { OWN_SOCKETS } from '../../src/adapters/dns/sockets.ts'
import { kubeDnsObjects } from '../../src/adapters/kube/kube-dns-objects.ts'
import { openApi } from '../../src/adapters/kube/open-cluster.ts'
import { systemClock as clock } from '../../src/adapters/node/system-clock.ts'
import { systemRandom as random } from '../../src/adapters/node/system-random.ts'
import type { DnsActions } from '../../src/cli/dns-command.ts'
import { checkDns } from '../../src/controllers/dns/check-dns.ts'
import type { Log } from '../../src/ports/log.ts'

interface Surroundings {
  readonly version: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly log: Log
}

export const dnsActions = ({ version, env, log }: Surroundings): DnsActions => ({
  check: async ({ kubeconfig, context, node, relay, sought, timeoutMs }, signal) => {
    const kubeconfigPath = kubeconfig ?? env.KUBECONFIG
    const { parts } = await openApi(
      { kubeconfigPath, context, env, clock, random, log, userAgent: `evenkeel/${version}` },
      signal,
    )
    return checkDns(
      {
        objects: kubeDnsObjects(parts),
        asker: new SocketAsker(clock, random),
        loopback: new ForwardedLoopback({ ...parts, clock, random }),
        control: new ApiControl(OWN_SOCKETS),
        clock,
        random,
        sought,
        timeoutMs,
        ...(node === undefined ? {} : { node }),
        ...(relay === undefined ? {} : { relays: new JobRelays({ ...parts, ...relay, clock, random }) }),
      },
      signal,
    )
  },
})

import type { DnsLoop } from '../../src/dns/run/dns-loop.ts'
import type { ApiClient } from '../../src/ground/kube/api-client.ts'
import type { ApiReach } from '../../src/ground/kube/api-reach.ts'
import type { Leader } from '../../src/ground/loop/leader.ts'
import type { ObjectRef } from '../../src/ground/model/object-ref.ts'
import { present } from '../../src/ground/model/present.ts'
import type { Log } from '../../src/ground/ports/log.ts'
import type { GuardLoop } from '../../src/guard/run/guard-loop.ts'
import type { IngressLoop } from '../../src/ingress/run/ingress-loop.ts'
import type { ControllerOptions } from './controller-options.ts'
import type { sharedNodes } from './shared-nodes.ts'

interface LoopsPlace {
  readonly client: ApiClient
  readonly reach: ApiReach
  readonly leader: Leader
  readonly identity: string
  /** The Lease of the leader. */
  readonly lease: ObjectRef
  readonly options: ControllerOptions
  readonly log: Log
  /** Absent: each loop follows the Nodes by a watch of its own. */
  readonly followNodes?: ReturnType<typeof sharedNodes>['nodes']
}

/** The loops beside the brake. */
export interface Loops {
  /** Absent: the DNS of the cluster is not checked. */
  readonly dns?: DnsLoop
  /** Absent: IngressDaemonSets are left alone. */
  readonly ingress?: IngressLoop
  /** Absent: NodeGuards are left alone. */
  readonly guard?: GuardLoop
}

/** Each loop is loaded only where it is wanted: they are larger than the rest. */
export async function openLoops(place: LoopsPlace): Promise<Loops> {
  const { options } = place
  const dns =
    options.dns === undefined
      ? undefined
      : await (await import('./open-dns-loop.ts')).openDnsLoop({ ...place, dns: options.dns })
  const ingress =
    options.ingress === undefined
      ? undefined
      : (await import('./open-ingress-loop.ts')).openIngressLoop({ ...place, ingress: options.ingress })
  const guard =
    options.guard === undefined
      ? undefined
      : (await import('./open-guard-loop.ts')).openGuardLoop({ ...place, guard: options.guard })
  return present({ dns, ingress, guard })
}

import type { ApiClient } from '../../src/adapters/kube/api-client.ts'
import type { ApiReach } from '../../src/adapters/kube/api-reach.ts'
import type { sharedNodes } from '../../src/adapters/kube/shared-nodes.ts'
import type { ControllerOptions } from '../../src/config/controller-options.ts'
import type { DnsLoop } from '../../src/controllers/dns/dns-loop.ts'
import type { GuardLoop } from '../../src/controllers/guard/guard-loop.ts'
import type { IngressLoop } from '../../src/controllers/ingress/ingress-loop.ts'
import type { ObjectRef } from '../../src/model/object-ref.ts'
import type { Log } from '../../src/ports/log.ts'
import type { Leader } from '../../src/runtime/leader.ts'
import type { Webhook } from './open-webhook.ts'

interface LoopsPlace {
  readonly client: ApiClient
  readonly reach: ApiReach
  readonly leader: Leader
  readonly identity: string
  /** By which the controller leads. */
  readonly lease: ObjectRef
  readonly options: ControllerOptions
  readonly log: Log
  /** Absent: each loop follows the Nodes by a watch of its own. */
  readonly followNodes?: ReturnType<typeof sharedNodes>['nodes']
}

/** What runs beside the brake. */
export interface Loops {
  /** Absent: the DNS of the cluster is not looked at. */
  readonly dns?: DnsLoop
  /** Absent: IngressDaemonSets are not acted on. */
  readonly ingress?: IngressLoop
  /** Absent: NodeGuards are not acted on. */
  readonly guard?: GuardLoop
  /** Absent: no API server asks this process. */
  readonly webhook?: Webhook
}

/** Each is read only where it is wanted: they weigh more than the rest. */
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
  const port = options.ingress?.webhookPort
  const webhook = ingress === undefined || port === undefined ? undefined : await openedWebhook(place, ingress, port)
  return {
    ...(dns === undefined ? {} : { dns }),
    ...(ingress === undefined ? {} : { ingress }),
    ...(guard === undefined ? {} : { guard }),
    ...(webhook === undefined ? {} : { webhook }),
  }
}

async function openedWebhook(
  { client, leader, identity, log, options: { namespace, address } }: LoopsPlace,
  ingress: IngressLoop,
  port: number,
): Promise<Webhook> {
  const { openWebhook } = await import('./open-webhook.ts')
  return openWebhook({
    ...{ client, leader, identity, ingress, log, port, namespace },
    ...(address === undefined ? {} : { address }),
  })
}

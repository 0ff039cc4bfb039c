import type { IngressFacts } from '../../core/agent/ingress-facts.ts'
import { nodeLabel } from '../../core/ingress/names.ts'
import { HEALTH_ANNOTATION, parseHealthOrder } from '../../model/health-order.ts'
import { INGRESS_LABEL, INGRESS_NODE_LABEL } from '../../model/ingress-keys.ts'
import type { ObjectKind } from '../../model/object-kind.ts'
import { parseMetadata } from '../../model/parse-metadata.ts'
import { NODE_ANNOTATION } from '../../model/slot.ts'
import type { Untrusted } from '../../model/untrusted.ts'
import type { Selection } from '../../ports/objects.ts'

/** What the API server says of one Deployment. `node`: the full name of its node. */
export interface ToldIngress extends IngressFacts {
  readonly node: string
}

const HEALTH_DEPLOYMENTS: ObjectKind<ToldIngress> = {
  group: 'apps',
  version: 'v1',
  resource: 'deployments',
  kind: 'Deployment',
  namespaced: true,
  parse,
}

/** The Deployments of IngressDaemonSets that are for one node, in all namespaces. */
export const deploymentsOf = (node: string): Selection<ToldIngress> => ({
  kind: HEALTH_DEPLOYMENTS,
  labelSelector: `${INGRESS_LABEL},${INGRESS_NODE_LABEL}=${nodeLabel(node)}`,
})

/** A Deployment whose annotation cannot be read is kept, with the reason. Left out, it would look as if it were deleted. */
function parse(object: Untrusted): ToldIngress {
  const { namespace, name, uid, labels, annotations } = parseMetadata(object, 'namespaced')
  const metadata = object.at('metadata')
  const createdAt = Date.parse(metadata.at('creationTimestamp').textOr(''))
  const written = annotations[HEALTH_ANNOTATION]
  const order = written === undefined ? 'it is missing' : parseHealthOrder(written)
  return {
    ...{ uid, namespace, deployment: name },
    name: labels[INGRESS_LABEL] ?? '',
    node: annotations[NODE_ANNOTATION] ?? '',
    createdAt: Number.isNaN(createdAt) ? 0 : createdAt,
    deleting: metadata.at('deletionTimestamp').optionalText() !== undefined,
    ready: object.at('status').at('readyReplicas').integerOr(0),
    ...(typeof order === 'string'
      ? { isMarked: false, unreadable: order }
      : {
          isMarked: annotations[order.mark.key] === order.mark.value,
          order: { ports: order.ports, minReadyPods: order.minReadyPods },
        }),
  }
}

import { INGRESS_LABEL, INGRESS_NODE_LABEL } from '../../ground/model/ingress-keys.ts'
import type { ObjectKind } from '../../ground/model/object-kind.ts'
import { nodeLabel } from '../../ground/model/owned/node-names.ts'
import { parseMetadata } from '../../ground/model/parse-metadata.ts'
import { present } from '../../ground/model/present.ts'
import { NODE_ANNOTATION } from '../../ground/model/slot.ts'
import type { Untrusted } from '../../ground/model/untrusted.ts'
import type { Selection } from '../../ground/ports/objects.ts'
import { HEALTH_ANNOTATION, parseHealthOrder } from '../../service/model/health-order.ts'
import type { IngressReading } from '../decide/ingress-reading.ts'

/** One Deployment of the API server. `node`: the full name of its node. */
export interface DeploymentReading extends IngressReading {
  readonly node: string
  /** The API group of its owner; absent: it has no owner at present. */
  readonly group?: string
  /** Whether the agent or the pods have to answer; absent: that cannot be read. */
  readonly by?: 'agent' | 'pods'
}

/** One IngressDaemonSet. */
export interface OneIngress {
  readonly group: string
  readonly namespace: string
  readonly name: string
}

const HEALTH_DEPLOYMENTS: ObjectKind<DeploymentReading> = {
  group: 'apps',
  version: 'v1',
  resource: 'deployments',
  kind: 'Deployment',
  namespaced: true,
  parse,
}

/** Anyone who may create Deployments can make large ones, and an agent that runs out of memory answers no check. */
const PAGE = { items: 20, bytes: 4 * 1024 ** 2 }

/** The Deployments of IngressDaemonSets that are for one node: in all namespaces, or those of one object. */
export const deploymentsOf = (node: string, only?: OneIngress): Selection<DeploymentReading> => ({
  kind: HEALTH_DEPLOYMENTS,
  ...(only === undefined ? {} : { namespace: only.namespace }),
  page: PAGE,
  labelSelector: `${only === undefined ? INGRESS_LABEL : `${INGRESS_LABEL}=${only.name}`},${INGRESS_NODE_LABEL}=${nodeLabel(node)}`,
})

/**
 * Whether this process answers for it: the agent of the node, or the pod of that one object. Never both, since the kernel gives
 * each connection to one of two processes that share a port. If the order cannot be read, the process that answered before goes
 * on.
 */
export function isAnsweredHere(deployment: DeploymentReading, node: string, only?: OneIngress): boolean {
  const { group = only?.group, by } = deployment
  if (deployment.node !== node || (only !== undefined && group !== only.group)) return false
  return by === undefined || by === (only === undefined ? 'agent' : 'pods')
}

/** A Deployment whose annotation cannot be read is kept, with the reason. Left out, it would look as if it were deleted. */
function parse(object: Untrusted): DeploymentReading {
  const { namespace, name, uid, labels, annotations } = parseMetadata(object, 'namespaced')
  const metadata = object.at('metadata')
  const createdAt = Date.parse(metadata.at('creationTimestamp').textOr(''))
  const written = annotations[HEALTH_ANNOTATION]
  const order = written === undefined ? 'it is missing' : parseHealthOrder(written)
  return {
    ...{ uid, namespace, deployment: name },
    name: labels[INGRESS_LABEL] ?? '',
    node: annotations[NODE_ANNOTATION] ?? '',
    ...groupOf(metadata),
    createdAt: Number.isNaN(createdAt) ? 0 : createdAt,
    deleting: metadata.at('deletionTimestamp').optionalText() !== undefined,
    ready: object.at('status').at('readyReplicas').integerOr(0),
    ...(typeof order === 'string'
      ? { isMarked: false, unreadable: order }
      : {
          isMarked: annotations[order.mark.key] === order.mark.value,
          by: order.by ?? 'agent',
          order: { ports: order.ports, minReadyPods: order.minReadyPods },
        }),
  }
}

/** There may be two objects of one name, one in each group, and their Deployments have the same label. */
function groupOf(metadata: Untrusted): { readonly group?: string } {
  const owner = metadata
    .at('ownerReferences')
    .each()
    .find((reference) => reference.at('controller').flagOr(false))
  const [group] = owner?.at('apiVersion').textOr('').split('/') ?? []
  return present({ group })
}

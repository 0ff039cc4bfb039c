import {
  FOR_NODE_LABEL,
  INGRESS_NODE_LABEL,
  REVISION_ANNOTATION,
  TEMPLATE_HASH_ANNOTATION,
} from '../../ground/model/ingress-keys.ts'
import type { FoundDeployment } from '../../ground/model/owned/found-workload.ts'
import type { NodeIdentity } from '../../ground/model/owned/node-names.ts'
import type { WantedObject } from '../../ground/model/owned/wanted-object.ts'
import { NODE_ANNOTATION } from '../../ground/model/slot.ts'
import {
  formatHealthOrder,
  HEALTH_ANNOTATION,
  type HealthOrder,
  parseHealthOrder,
} from '../../service/model/health-order.ts'
import type { IngressDaemonSet, IngressSpec, PodLimit } from '../model/ingress-daemon-set.ts'
import { nodeMark } from './names.ts'
import { OP_ANNOTATION } from './op.ts'
import { podTemplate } from './pod-template.ts'
import { wantedMetadata } from './wanted-metadata.ts'

/** The wanted Deployment of a node. */
export interface DeploymentOrder {
  readonly identity: NodeIdentity
  /** The revision of the template in `ids.spec`, which may be an older one. */
  readonly revision: { readonly number: number; readonly hash: string }
  /** `podsPerNode`, or fewer. */
  readonly replicas: number
  /** The existing Deployment. Absent: a new one is created. */
  readonly found?: Pick<FoundDeployment, 'annotations' | 'ready'>
  readonly health?: HealthNow
}

interface HealthNow {
  /** A health checker runs on the node, so it may answer in place of the agent. */
  readonly isChecked?: boolean
  /** The object gives way to another one, which may have the ports that it names by now. */
  readonly givesWay?: boolean
}

type Json = Readonly<Record<string, unknown>>

/**
 * The wanted Deployment. One write sets the template together with the node's name, the revision and the hash, so a crash leaves no
 * Deployment with wrong annotations.
 */
export function wantedDeployment(ids: IngressDaemonSet, order: DeploymentOrder): WantedObject {
  const { identity, revision, replicas, found, health } = order
  const mark = nodeMark(identity)
  return {
    metadata: wantedMetadata(ids, {
      name: identity.name,
      labels: { ...ids.spec.selector, ...mark, [FOR_NODE_LABEL]: mark[INGRESS_NODE_LABEL] ?? '' },
      annotations: {
        [NODE_ANNOTATION]: identity.node,
        [REVISION_ANNOTATION]: String(revision.number),
        [TEMPLATE_HASH_ANNOTATION]: revision.hash,
        [HEALTH_ANNOTATION]: healthOrder(ids.spec, found, health),
      },
    }),
    spec: {
      replicas,
      selector: { matchLabels: identity.selector },
      ...timesOf(ids.spec),
      // Revisions are stored once as ControllerRevisions, not for each node.
      revisionHistoryLimit: 0,
      paused: false,
      strategy: { type: 'RollingUpdate', rollingUpdate: rollingUpdate(ids.spec) },
      template: podTemplate(ids, { identity, hash: revision.hash }),
    },
  }
}

/**
 * The health order for the agent of the node. A change of it replaces no pod.
 *
 * Law: a higher number of ready pods counts on a node once so many are ready there.
 *
 * Otherwise an edit that adds a pod to each node would fail the health checks of all nodes at once.
 *
 * While the object gives way, the ports in force stay: agents give a port to the oldest Deployment that asks for it.
 */
export function healthOrder(
  spec: IngressSpec,
  found?: DeploymentOrder['found'],
  { isChecked = false, givesWay = false }: HealthNow = {},
): string {
  const { healthCheckNodePorts, minReadyPodsPerNode } = spec
  const before = parseHealthOrder(found?.annotations[HEALTH_ANNOTATION] ?? '')
  if (found === undefined || typeof before === 'string')
    return formatHealthOrder({
      ports: givesWay ? [] : healthCheckNodePorts,
      ...{ minReadyPods: minReadyPodsPerNode, mark: spec.detach.deployment },
      ...(hasHealthChecker(spec) ? BY_PODS : {}),
    })
  const isEarly = before.minReadyPods < minReadyPodsPerNode && found.ready < minReadyPodsPerNode
  return formatHealthOrder({
    ports: givesWay ? before.ports : healthCheckNodePorts,
    minReadyPods: isEarly ? before.minReadyPods : minReadyPodsPerNode,
    mark: markOf(spec, found.annotations, before.mark),
    ...(hasHealthChecker(spec) && (isChecked || before.by === 'pods') ? BY_PODS : {}),
  })
}

const BY_PODS = { by: 'pods' } as const

/** Pods of the object answer health checks, and not the agent. */
export const hasHealthChecker = ({ healthChecker, healthCheckNodePorts }: IngressSpec): boolean =>
  healthChecker.image !== undefined && healthCheckNodePorts.length > 0

/** The mark for the health order. The current mark counts until the operation is over, even if the spec names another one by now. */
function markOf({ detach }: IngressSpec, annotations: FoundDeployment['annotations'], before: HealthOrder['mark']) {
  const stands = ({ key, value }: HealthOrder['mark']): boolean => annotations[key] === value
  return OP_ANNOTATION in annotations && stands(before) && !stands(detach.deployment) ? before : detach.deployment
}

/** The API requires a deadline longer than `minReadySeconds`. */
function timesOf({ minReadySeconds, rollout }: IngressSpec): Json {
  const deadline = Math.ceil(rollout.progressDeadlineMs / 1_000)
  return { minReadySeconds, progressDeadlineSeconds: Math.max(deadline, minReadySeconds + 1) }
}

/** On a detached node all pods are replaced at once, without extra pods. */
const rollingUpdate = ({ strategy }: IngressSpec): Json =>
  strategy.kind === 'detach'
    ? { maxUnavailable: '100%', maxSurge: 0 }
    : { maxUnavailable: intOrPercent(strategy.maxUnavailablePods), maxSurge: intOrPercent(strategy.maxSurgedPods) }

const intOrPercent = (limit: PodLimit): number | string => (limit.kind === 'count' ? limit.count : `${limit.percent}%`)

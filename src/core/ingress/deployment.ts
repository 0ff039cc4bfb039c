import type { IngressDaemonSet, IngressSpec, PodLimit } from '../../model/ingress-daemon-set.ts'
import { REVISION_ANNOTATION, TEMPLATE_HASH_ANNOTATION } from '../../model/ingress-keys.ts'
import { NODE_ANNOTATION } from '../../model/slot.ts'
import { type NodeIdentity, nodeMark } from './names.ts'
import { podTemplate } from './pod-template.ts'
import { type WantedObject, wantedMetadata } from './wanted-object.ts'

/** The Deployment of a node, as it is to be. */
export interface DeploymentOrder {
  readonly identity: NodeIdentity
  /** Of the template that `ids.spec` has here, which may be an older one. */
  readonly revision: { readonly number: number; readonly hash: string }
  /** `podsPerNode`, unless the node is to have fewer. */
  readonly replicas: number
}

type Json = Readonly<Record<string, unknown>>

/**
 * Full name of the node, revision and hash stand beside the template they are of: who writes one writes all of them, so
 * that no crash leaves a Deployment that says of itself what is not so.
 */
export function wantedDeployment(ids: IngressDaemonSet, order: DeploymentOrder): WantedObject {
  const { identity, revision, replicas } = order
  return {
    metadata: wantedMetadata(ids, {
      name: identity.name,
      labels: { ...ids.spec.selector, ...nodeMark(identity) },
      annotations: {
        [NODE_ANNOTATION]: identity.node,
        [REVISION_ANNOTATION]: String(revision.number),
        [TEMPLATE_HASH_ANNOTATION]: revision.hash,
      },
    }),
    spec: {
      replicas,
      selector: { matchLabels: identity.selector },
      ...timesOf(ids.spec),
      // The revisions are kept once, and not once for each node.
      revisionHistoryLimit: 0,
      paused: false,
      strategy: { type: 'RollingUpdate', rollingUpdate: rollingUpdate(ids.spec) },
      template: podTemplate(ids, { identity, hash: revision.hash }),
    },
  }
}

/** The API wants the deadline to be the longer one. */
function timesOf({ minReadySeconds, rollout }: IngressSpec): Json {
  const deadline = Math.ceil(rollout.progressDeadlineMs / 1_000)
  return { minReadySeconds, progressDeadlineSeconds: Math.max(deadline, minReadySeconds + 1) }
}

/** A node that is detached serves nothing: all of its pods go at once, and none is started beside the old ones. */
const rollingUpdate = ({ strategy }: IngressSpec): Json =>
  strategy.kind === 'detach'
    ? { maxUnavailable: '100%', maxSurge: 0 }
    : { maxUnavailable: intOrPercent(strategy.maxUnavailablePods), maxSurge: intOrPercent(strategy.maxSurgedPods) }

const intOrPercent = (limit: PodLimit): number | string => (limit.kind === 'count' ? limit.count : `${limit.percent}%`)

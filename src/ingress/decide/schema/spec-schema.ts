import { labels } from '../../../ground/model/schema/label-schema.ts'
import {
  choice,
  type Fields,
  flag,
  integer,
  list,
  object,
  type Schema,
  text,
} from '../../../ground/model/schema/open-api.ts'
import { INGRESS_DEFAULTS, PODS_PER_NODE_MAX } from '../../model/ingress-defaults.ts'
import { SPEC_RULES } from './spec-rules.ts'
import { template } from './template-schema.ts'
import { updateStrategy } from './update-strategy-schema.ts'

const D = INGRESS_DEFAULTS
const DAY = 86_400

export const specSchema = (): Schema =>
  object(
    'The desired state: which pods, on which nodes, and how they are replaced.',
    { ...pods(), ...health(), ...rollout(), updateStrategy: updateStrategy(), template: template() },
    { required: ['template'], rules: SPEC_RULES },
  )

const pods = (): Fields => ({
  podsPerNode: integer(
    `The number of pods on each node. Changing only this field adds or removes pods without a rollout. From 1 to ${PODS_PER_NODE_MAX}; defaults to ${D.podsPerNode}. Example: 2.`,
    { minimum: 1, maximum: PODS_PER_NODE_MAX, default: D.podsPerNode },
  ),
  nodeSelector: labels(
    'Labels that a node must have, all of them, besides those of template.spec.nodeSelector. By default, every node whose taints the pods tolerate. Example: {ingress-controller-node: "true"}.',
  ),
  selector: object(
    'Labels that distinguish the pods from the pods of other workloads; the template must have them. The field cannot be changed, added or removed later. By default the controller uses a label of its own.',
    { matchLabels: labels('The labels, at least one. Example: {app: ingress-nginx}.', { minProperties: 1 }) },
    { required: ['matchLabels'] },
  ),
  placement: choice(
    'How a pod gets to its node. With Affinity the scheduler puts it there, so a pod that does not fit waits; with NodeName it goes there past the scheduler, and a pod that does not fit is rejected by the kubelet. Defaults to Affinity.',
    ['Affinity', 'NodeName'],
  ),
})

const health = (): Fields => ({
  healthCheckNodePorts: list(
    'Ports of each node that answer the health check of load balancers: 200 as long as enough pods of the node are ready and no update of them is due, otherwise 503. Two or more are for a migration from one to the other. At most 8, each from 1 to 65535; below 30000 or above 32767 no Service takes it. Example: [10080].',
    { type: 'integer', format: 'int32', minimum: 1, maximum: 65_535 },
    { maxItems: 8, 'x-kubernetes-list-type': 'set' },
  ),
  healthChecker: object('Pods that answer on healthCheckNodePorts, one on each node, in place of the agents.', {
    image: text(
      'Their image, which is the image of the agent. If it is absent, no such pods are created, and the agents of the nodes answer. Example: evenkeel.local/evenkeel:0.1.0.',
      { minLength: 1, maxLength: 1024 },
    ),
    imagePullPolicy: choice('When their image is pulled. Defaults to IfNotPresent.', [
      'IfNotPresent',
      'Always',
      'Never',
    ]),
    serviceAccountName: text(
      `Their service account, which has to be allowed to list and watch Deployments in its namespace. Defaults to ${D.serviceAccountName}.`,
      { minLength: 1, maxLength: 253, default: D.serviceAccountName },
    ),
  }),
  minReadyPodsPerNode: integer(
    `The number of ready pods that make a node healthy. From 1 to podsPerNode; defaults to podsPerNode. Example: with 1 of 2, a node that has lost one pod stays in service.`,
    { minimum: 1, maximum: PODS_PER_NODE_MAX },
  ),
  minReadySeconds: integer(
    `Seconds for which a new pod has to be ready before it counts. From 0 to ${DAY}; defaults to ${D.minReadySeconds}. Example: 10.`,
    { minimum: 0, maximum: DAY, default: D.minReadySeconds },
  ),
  loadBalancerProbe: object(
    'The health check of the load balancer, as it is configured there. It changes no wait; the controller warns if a grace period is too short for it.',
    {
      intervalSeconds: integer('Seconds between two checks. From 1 to 3600. Example: 5.', {
        minimum: 1,
        maximum: 3_600,
      }),
      unhealthyThreshold: integer('Consecutive failures that take a node out. From 1 to 100. Example: 2.', {
        minimum: 1,
        maximum: 100,
      }),
      healthyThreshold: integer('Consecutive successes that bring a node back. From 1 to 100. Example: 2.', {
        minimum: 1,
        maximum: 100,
      }),
    },
    { required: ['intervalSeconds', 'unhealthyThreshold', 'healthyThreshold'] },
  ),
})

const rollout = (): Fields => ({
  paused: flag(
    'No further node begins an update; a node that has begun is finished. Defaults to false. `kubectl patch` of this field is what `evenkeel rollout pause` does.',
    { default: D.paused },
  ),
  progressDeadlineSeconds: integer(
    `Seconds that the update of one node may take, from its first new pod until all are ready; then the node is stuck. Must be longer than all grace periods and minReadySeconds together. From 1 to ${DAY}; defaults to ${D.progressDeadlineSeconds}.`,
    { minimum: 1, maximum: DAY, default: D.progressDeadlineSeconds },
  ),
  onCordon: choice(
    'What happens to a node that is cordoned. Detach takes it out of its load balancers and keeps its pods; DetachAndScaleDown also removes the pods then; Ignore leaves it in service, and `kubectl drain` then never ends unless drainGate is Open or a claim on the node asks for maintenance. Defaults to Detach.',
    ['Detach', 'DetachAndScaleDown', 'Ignore'],
  ),
  drainGate: choice(
    'Closed lets `kubectl drain` and everything else that evicts wait until the node is detached. Open lets pods be evicted at once: for pools of a cluster autoscaler, which removes no node whose pods may not be evicted. Defaults to Closed.',
    ['Closed', 'Open'],
  ),
  rollbackTo: object(
    'Puts the template and the placement of an earlier revision in the place of those of now. The controller writes them and removes this field in one write; from then on it is a rollout like any other. Absent otherwise. Do not keep it in manifests.',
    {
      revision: integer(
        'Number of the ControllerRevision, as `evenkeel rollout history` and `kubectl get controllerrevisions -l evenkeel.dev/ingress=NAME` show it. From 1. Example: 3.',
        { minimum: 1 },
      ),
    },
    { required: ['revision'] },
  ),
  revisionHistoryLimit: integer(
    `The number of old revisions that are kept for a rollback. From 0 to 100; defaults to ${D.revisionHistoryLimit}.`,
    { minimum: 0, maximum: 100, default: D.revisionHistoryLimit },
  ),
})

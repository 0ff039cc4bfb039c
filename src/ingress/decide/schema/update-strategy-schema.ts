import { labels } from '../../../ground/model/schema/label-schema.ts'
import { choice, type Fields, flag, integer, object, type Schema, text } from '../../../ground/model/schema/open-api.ts'
import { INGRESS_DEFAULTS, NODES_MAX, PODS_PER_NODE_MAX } from '../../model/ingress-defaults.ts'
import { annotateDeployment, annotateNode, waitForDetachment } from './annotation-schema.ts'
import { limit } from './limit-schema.ts'
import { ROLLING_UPDATE_RULES } from './rolling-update-rules.ts'

const D = INGRESS_DEFAULTS

export const updateStrategy = (): Schema =>
  object('How a new template reaches the pods of the nodes.', {
    type: choice('RollingUpdate is the only type, and the default.', ['RollingUpdate']),
    rollingUpdate: object(
      'There are two ways. With maxUnavailableNodes of 1 or more, a node leaves its load balancers first, then all of its pods are replaced at once, and it comes back. Otherwise pods are replaced a few at a time while the node serves, on at most maxDegradedNodes at once.',
      { ...budgets(), ...detaching(), ...order() },
      { rules: ROLLING_UPDATE_RULES },
    ),
  })

const alias = (right: string): Schema =>
  limit(
    `Deprecated: a misspelt name of ${right}, which manifests for the controller of mumoshu may have. It means the same, with a warning; another value than that of ${right} is refused. Write ${right}.`,
    PODS_PER_NODE_MAX,
  )

const budgets = (): Fields => ({
  maxUnavailableNodes: limit(
    'The number of nodes that may be detached from their load balancers at once; all pods of such a node are replaced at once. A number, or a percentage of the nodes that should run pods, rounded down but at least 1. Nodes that are out for another reason count. 1 or more excludes maxDegradedNodes. Defaults to 0: no node is detached. Example: 1.',
    NODES_MAX,
  ),
  maxDegradedNodes: limit(
    `The number of nodes on which pods may be replaced at once while the node serves. A number, or a percentage of the nodes that should run pods, rounded down but at least 1. 1 or more excludes maxUnavailableNodes. Defaults to ${D.maxDegradedNodes}, and to 0 beside maxUnavailableNodes. Example: 10%.`,
    NODES_MAX,
  ),
  maxUnavailablePodsPerNode: limit(
    `The number of pods of one node that may be missing while they are replaced in place. A number, or a percentage of podsPerNode, rounded down, but 1 if no pod could be replaced otherwise. Together with maxUnavailableNodes it is always 100%, and no other value is allowed. Defaults to ${D.maxUnavailablePodsPerNode}. Example: 1.`,
    PODS_PER_NODE_MAX,
  ),
  maxUnavaiablePodsPerNode: alias('maxUnavailablePodsPerNode'),
  maxUnavailablePodsPerNodes: alias('maxUnavailablePodsPerNode'),
  maxSurgedPodsPerNode: limit(
    `The number of pods above podsPerNode that may run on one node while they are replaced in place. A number, or a percentage of podsPerNode, rounded up. Above 0, no pod may use a port of the node (hostPort). Defaults to ${D.maxSurgedPodsPerNode}. Example: 1.`,
    PODS_PER_NODE_MAX,
  ),
})

const detaching = (): Fields => ({
  annotateDeploymentToDetach: annotateDeployment(),
  annotateNodeToDetach: annotateNode(),
  waitForDetachmentByAnnotatedTimestamp: waitForDetachment(),
  detachTimeoutSeconds: integer(
    `Seconds that a detach may wait for its acknowledgement, which is the timestamp of the detacher or the word of the health checker. What comes after them says detachTimeoutPolicy. A node on its way back, whose agent stays silent for so long after the attach grace, is stuck. From 1 to 86400; defaults to ${D.detachTimeoutSeconds}.`,
    { minimum: 1, maximum: 86_400, default: D.detachTimeoutSeconds },
  ),
  detachTimeoutPolicy: choice(
    'What happens to a node whose detach is not acknowledged within detachTimeoutSeconds. Pause holds the node where it is and keeps its place in the budget, for a person to look; Proceed replaces the pods without the acknowledgement; Abort attaches the node again with its old pods, or holds it like Pause where others work on it or it is to have no pods. Defaults to Pause.',
    ['Pause', 'Proceed', 'Abort'],
  ),
  attachGraceSeconds: integer(
    `Seconds from the first healthy answer of a node until load balancers send to it again; its place in the budget is kept as long. From 0 to 86400; defaults to ${D.attachGraceSeconds}. Example: 10 for a check every 5 seconds that takes 2 successes.`,
    { minimum: 0, maximum: 86_400, default: D.attachGraceSeconds },
  ),
})

const order = (): Fields => ({
  partition: integer(
    `The number of nodes that keep the old revision, for a rollout in parts. From 0; defaults to ${D.partition}. Example: 90 of 100 nodes updates 10.`,
    { minimum: 0, maximum: NODES_MAX, default: D.partition },
  ),
  canary: object(
    'Nodes that are updated first. The rollout pauses after them, until it is resumed (evenkeel rollout resume). Defaults to none.',
    {
      nodeSelector: labels('Labels that these nodes have, all of them. Example: {canary: "true"}.', {
        minProperties: 1,
      }),
    },
    { required: ['nodeSelector'] },
  ),
  failureThreshold: integer(
    `The number of stuck nodes that stops the rollout. From 1; defaults to ${D.failureThreshold}.`,
    { minimum: 1, maximum: NODES_MAX, default: D.failureThreshold },
  ),
  autoRollback: flag(
    'A rollout that stopped at failureThreshold goes back to the last revision that was complete. Defaults to false: it stays as it is, for a person to look.',
    { default: D.autoRollback },
  ),
  minInServiceNodes: integer(
    `The number of nodes that stay in service, whatever the budget allows. From 0; defaults to ${D.minInServiceNodes}. In a cluster with one such node, set 0.`,
    { minimum: 0, maximum: NODES_MAX, default: D.minInServiceNodes },
  ),
  zoneKey: text(
    `Label of the nodes that names their zone. Nodes of one zone are done before those of the next. Defaults to ${D.zoneKey}.`,
    { minLength: 1, maxLength: 317, default: D.zoneKey },
  ),
  replaceUnavailableFirst: flag(
    'Nodes without a ready pod are updated without a place in maxUnavailableNodes or maxDegradedNodes. The node budget still holds. If the new revision fails too, as many of them as the node budget allows are out at once. Nodes that serve nothing go first in any case. Defaults to false.',
    { default: D.replaceUnavailableFirst },
  ),
})

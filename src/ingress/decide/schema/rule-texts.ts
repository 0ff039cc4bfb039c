import { rulesOf } from '../../../ground/model/schema/field-rule.ts'

interface IngressRule {
  readonly field: string
  /** One sentence without a full stop. */
  readonly message: string
  readonly fix: string
}

const ROLLING = 'spec.updateStrategy.rollingUpdate'

/** What an IngressDaemonSet is refused for beyond a field that is wrong by itself. The API server says the same words. */
const INGRESS_RULES = {
  twoBudgets: {
    field: `${ROLLING}.maxDegradedNodes`,
    message: 'maxUnavailableNodes and maxDegradedNodes are both set, and only one of them may be 1 or more',
    fix: 'to detach a node before its pods change, keep maxUnavailableNodes and remove maxDegradedNodes; to replace pods while the node serves, keep maxDegradedNodes and remove maxUnavailableNodes',
  },
  noBudget: {
    field: `${ROLLING}.maxDegradedNodes`,
    message: 'maxUnavailableNodes and maxDegradedNodes are both 0, so no node could ever be updated',
    fix: 'set one of them to 1 or more; to stop a rollout for a while, set spec.paused to true',
  },
  podsWhileDetached: {
    field: `${ROLLING}.maxUnavailablePodsPerNode`,
    message:
      'maxUnavailablePodsPerNode is set beside maxUnavailableNodes, which replaces all pods of a detached node at the same time',
    fix: 'remove it, also under its misspelt names, or write 100%',
  },
  surgeWhileDetached: {
    field: `${ROLLING}.maxSurgedPodsPerNode`,
    message:
      'maxSurgedPodsPerNode is set beside maxUnavailableNodes, where a detached node has no pod more than podsPerNode',
    fix: 'remove maxSurgedPodsPerNode or write 0',
  },
  noPodMoves: {
    field: `${ROLLING}.maxSurgedPodsPerNode`,
    message: 'maxUnavailablePodsPerNode and maxSurgedPodsPerNode are both 0, so no pod could ever be replaced',
    fix: 'set maxSurgedPodsPerNode to 1 to start a new pod first, or maxUnavailablePodsPerNode to 1 to stop an old one first; maxSurgedPodsPerNode is 0 where it is left out',
  },
  sharedHostPort: {
    field: 'spec.template.spec.containers',
    message:
      'a container has a hostPort, and a second pod on the same node could not bind it (podsPerNode above 1, or maxSurgedPodsPerNode above 0)',
    fix: 'remove the hostPort and serve by a Service of type NodePort with externalTrafficPolicy: Local; or set podsPerNode to 1 and maxSurgedPodsPerNode to 0',
  },
  sharedHostNetwork: {
    field: 'spec.template.spec.containers',
    message:
      'the pods use hostNetwork and declare ports, each of which Kubernetes makes a hostPort that a second pod on the same node could not bind (podsPerNode above 1, or maxSurgedPodsPerNode above 0)',
    fix: 'remove every entry of ports and let the program listen with SO_REUSEPORT; or set podsPerNode to 1 and maxSurgedPodsPerNode to 0',
  },
  waitWithoutRequest: {
    field: `${ROLLING}.waitForDetachmentByAnnotatedTimestamp`,
    message:
      'waitForDetachmentByAnnotatedTimestamp is set without annotateNodeToDetach, so no detacher would be asked for the timestamp',
    fix: 'set annotateNodeToDetach.key to the annotation that the detacher acts on, or remove waitForDetachmentByAnnotatedTimestamp',
  },
  oneKeyForBoth: {
    field: `${ROLLING}.waitForDetachmentByAnnotatedTimestamp.key`,
    message: 'annotateNodeToDetach.key and waitForDetachmentByAnnotatedTimestamp.key are the same annotation',
    fix: 'set waitForDetachmentByAnnotatedTimestamp.key to the annotation in which the detacher writes its timestamp, such as node-detacher.variant.run/detachment-timestamp',
  },
  valueTwice: {
    field: `${ROLLING}.annotateNodeToDetach.value`,
    message: 'annotateNodeToDetach.key has a value after its =, and value is set as well',
    fix: 'write the key alone into key, and the value into value',
  },
  deploymentMarkInPlace: inert('annotateDeploymentToDetach'),
  nodeMarkInPlace: inert('annotateNodeToDetach'),
  waitInPlace: inert('waitForDetachmentByAnnotatedTimestamp'),
  healthPortTaken: {
    field: 'spec.healthCheckNodePorts',
    message: 'a port of healthCheckNodePorts is also a port that the template binds on the node',
    fix: 'choose another port for healthCheckNodePorts and in the health check of the load balancer',
  },
  nodeName: {
    field: 'spec.template.spec.nodeName',
    message: 'nodeName is set in the template, which is for all nodes',
    fix: 'remove nodeName, and select nodes by spec.nodeSelector',
  },
  restartPolicy: {
    field: 'spec.template.spec.restartPolicy',
    message: 'restartPolicy is not Always',
    fix: 'remove restartPolicy or write Always',
  },
  activeDeadline: {
    field: 'spec.template.spec.activeDeadlineSeconds',
    message: 'activeDeadlineSeconds is set, which would end pods that serve',
    fix: 'remove activeDeadlineSeconds',
  },
  noLabels: {
    field: 'spec.template.metadata.labels',
    message: 'the template has no labels, so no Service could select its pods',
    fix: 'add a label, such as app: ingress-nginx',
  },
  reservedLabel: {
    field: 'spec.template.metadata.labels',
    message:
      'the template has a label that the controller sets itself (evenkeel.dev/..., ingressdaemonsets.mumoshu.github.io/..., ingress-daemon-for-node or pod-template-hash)',
    fix: 'remove the label or give it another name',
  },
  reservedAnnotation: {
    field: 'spec.template.metadata.annotations',
    message:
      'the template has an annotation that the controller sets itself (evenkeel.dev/... or ingressdaemonsets.mumoshu.github.io/...)',
    fix: 'remove the annotation or give it another name',
  },
  selectorMisses: {
    field: 'spec.selector.matchLabels',
    message: 'the labels of the template do not carry every label of selector.matchLabels',
    fix: 'add the missing labels to spec.template.metadata.labels with the same values',
  },
  selectorChanged: {
    field: 'spec.selector',
    message: 'selector cannot be changed, added or removed later',
    fix: 'write the selector as it was; for another one create a second IngressDaemonSet',
  },
  selectorsDisagree: {
    field: 'spec.template.spec.nodeSelector',
    message:
      'spec.nodeSelector and the nodeSelector of the template want different values of one label, so that no node has both',
    fix: 'write the label in spec.nodeSelector alone',
  },
  moreReadyThanPods: {
    field: 'spec.minReadyPodsPerNode',
    message: 'minReadyPodsPerNode is more than podsPerNode, so no node could ever be healthy',
    fix: 'write at most podsPerNode, or remove minReadyPodsPerNode: then all pods of the node must be ready',
  },
  deadlineTooShort: {
    field: 'spec.progressDeadlineSeconds',
    message:
      'progressDeadlineSeconds is not longer than all gracePeriodSeconds, attachGraceSeconds and minReadySeconds together, so every node would count as stuck',
    fix: 'raise progressDeadlineSeconds, or shorten the graces (each gracePeriodSeconds and attachGraceSeconds is 10 where it is left out)',
  },
  aliasesDisagree: {
    field: `${ROLLING}.maxUnavailablePodsPerNode`,
    message:
      'maxUnavailablePodsPerNode and its misspelt names maxUnavaiablePodsPerNode and maxUnavailablePodsPerNodes have different values',
    fix: 'keep maxUnavailablePodsPerNode and remove the misspelt names',
  },
  name: {
    field: 'metadata.name',
    message:
      'the name is longer than 30 characters or no DNS label, and names of Deployments and pods are made from it',
    fix: 'choose a name of at most 30 lower-case letters, digits and "-" that begins and ends with a letter or digit',
  },
} as const satisfies Readonly<Record<string, IngressRule>>

function inert(field: string): IngressRule {
  return {
    field: `${ROLLING}.${field}`,
    message: `${field} is set, but maxUnavailableNodes is not 1 or more, so no rollout would detach a node`,
    fix: `set maxUnavailableNodes to 1 or more and remove maxDegradedNodes, or remove ${field}`,
  }
}

/** Rules of the table for the field `at`; the field that a message names is below it. */
export const rulesAt = rulesOf(INGRESS_RULES)

export type IngressRuleName = keyof typeof INGRESS_RULES

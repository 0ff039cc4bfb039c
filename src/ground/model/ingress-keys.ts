/** The API groups that serve the kind: ours, and that of the controller that existed before. */
export const INGRESS_GROUPS = ['evenkeel.dev', 'ingressdaemonsets.mumoshu.github.io'] as const

export type IngressGroup = (typeof INGRESS_GROUPS)[number]

/** The name of the IngressDaemonSet, on all objects that belong to it. */
export const INGRESS_LABEL = 'evenkeel.dev/ingress'

/** Its UID. Deployments select by it, so that no two IngressDaemonSets share a pod, whatever their names. */
export const INGRESS_UID_LABEL = 'evenkeel.dev/ingress-uid'

/** The node of a Deployment and its pods; its full name is in the annotation of the same key (slot.ts). */
export const INGRESS_NODE_LABEL = 'evenkeel.dev/node'

/** The same on a Deployment, by the name that the original project gave it. */
export const FOR_NODE_LABEL = 'ingress-daemon-for-node'

/** On pods, as on those of DaemonSets and StatefulSets: the hash of the template that they were made from. */
export const REVISION_HASH_LABEL = 'controller-revision-hash'

/** On a Deployment, written with its pod template: the hash of the template. */
export const TEMPLATE_HASH_ANNOTATION = 'evenkeel.dev/template-hash'

/** On a Deployment: the UID of the Node that it was made for. A Node that is deleted and made anew is another Node. */
export const NODE_UID_ANNOTATION = 'evenkeel.dev/node-uid'

/** On an IngressDaemonSet, written by a person: the revision whose rollout goes on after its canary nodes. */
export const PROMOTED_ANNOTATION = 'evenkeel.dev/promoted-revision'

/**
 * On a Deployment, written by a person: the operation or the revision to try again. On an IngressDaemonSet: when the revision
 * to try again was rejected.
 */
export const RETRY_ANNOTATION = 'evenkeel.dev/ingress-retry'

/** On a Deployment, written by a person: the operation or the revision that must not delay the rollout. */
export const SKIP_ANNOTATION = 'evenkeel.dev/ingress-skip'

/** Keeps a deleted IngressDaemonSet until nothing of it is left on any Node. */
export const INGRESS_FINALIZER = 'evenkeel.dev/detached-nodes'

/** On a Deployment: the number of the revision that has this template. */
export const REVISION_ANNOTATION = 'evenkeel.dev/revision'

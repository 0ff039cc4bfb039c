/** The groups that serve the kind: ours, and the one of the controller that came first. */
export const INGRESS_GROUPS = ['evenkeel.dev', 'ingressdaemonsets.mumoshu.github.io'] as const

export type IngressGroup = (typeof INGRESS_GROUPS)[number]

/** The name of the IngressDaemonSet, on all that belongs to it. */
export const INGRESS_LABEL = 'evenkeel.dev/ingress'

/** Its UID. Deployments select by it, so that no two IngressDaemonSets share a pod, whatever their names. */
export const INGRESS_UID_LABEL = 'evenkeel.dev/ingress-uid'

/** The node for which a Deployment and its pods are; its full name stands in the annotation of the same key (slot.ts). */
export const INGRESS_NODE_LABEL = 'evenkeel.dev/node'

/** On pods, as DaemonSets and StatefulSets mark theirs: the hash of the template they were made from. */
export const REVISION_HASH_LABEL = 'controller-revision-hash'

/** On a Deployment, written with its pod template: the hash of the template. */
export const TEMPLATE_HASH_ANNOTATION = 'evenkeel.dev/template-hash'

/** On a Deployment: the UID of the Node that it was made for. A Node that is deleted and made anew is another one. */
export const NODE_UID_ANNOTATION = 'evenkeel.dev/node-uid'

/** On an IngressDaemonSet, written by a person: the revision whose rollout goes on after its canary nodes. */
export const PROMOTED_ANNOTATION = 'evenkeel.dev/promoted-revision'

/**
 * On a Deployment, written by a person: the operation or the revision that is to be tried again. On an IngressDaemonSet: when the
 * revision was rejected that is to be tried again.
 */
export const RETRY_ANNOTATION = 'evenkeel.dev/ingress-retry'

/** On a Deployment, written by a person: the operation or the revision that is not to hold up the rollout. */
export const SKIP_ANNOTATION = 'evenkeel.dev/ingress-skip'

/** Keeps an IngressDaemonSet that is deleted until nothing of it is left on any Node. */
export const INGRESS_FINALIZER = 'evenkeel.dev/detached-nodes'

/** On a Deployment: the number of the revision that has this template. */
export const REVISION_ANNOTATION = 'evenkeel.dev/revision'

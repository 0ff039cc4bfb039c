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

/** On a Deployment: the number of the revision that has this template. */
export const REVISION_ANNOTATION = 'evenkeel.dev/revision'

/** The name of the NodeGuard, on all objects that belong to it. */
export const GUARD_LABEL = 'evenkeel.dev/guard'

/** Its UID. Deployments and budgets select by it, so that no two NodeGuards share a pod, whatever their names. */
export const GUARD_UID_LABEL = 'evenkeel.dev/guard-uid'

/** On the pods of a NodeGuard that resists deletion: a deleted pod stays until the controller removes this. */
export const GUARD_FINALIZER = 'evenkeel.dev/guard'

/** On a PodDisruptionBudget of a guard while a node is granted: `{"node": …, "at": …}`. */
export const GRANT_ANNOTATION = 'evenkeel.dev/guard-grant'

/** On a NodeGuard, written by a person: nodes that are granted whatever their holds say, each until a time (`byHand` in node-guard.ts). */
export const RELEASES_ANNOTATION = 'evenkeel.dev/guard-releases'

/** On a NodeGuard, written by a person: nodes that are held until the entry is removed or its time is over. */
export const HOLDS_ANNOTATION = 'evenkeel.dev/guard-holds'

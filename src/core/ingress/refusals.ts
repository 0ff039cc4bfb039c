import type { OwnedObject } from '../../model/owned-object.ts'
import type { Reason } from '../../model/reason.ts'
import { NODE_ANNOTATION } from '../../model/slot.ts'

/** Writes that were refused when they were tried last, and the words of it, by the key of the action. */
export type Refusals = ReadonlyMap<string, string>

/** What of an action says to what it is done. */
interface About {
  readonly kind: string
  readonly node?: string
  readonly deployment?: OwnedObject
  readonly gate?: OwnedObject
  readonly daemonSet?: OwnedObject
  /** Of nodes, the hash of a template. */
  readonly revision?: OwnedObject | string
}

/** What an action does, and to what. */
export const actionKey = (action: About): string => `${action.kind} ${action.node ?? objectOf(action)?.name ?? ''}`

/** The node that an action is for; else the object that it is about, and of the IngressDaemonSet itself its name. */
function subjectOf(action: About, ids: string): string {
  const object = objectOf(action)
  return action.node ?? object?.annotations[NODE_ANNOTATION] ?? object?.name ?? ids
}

const objectOf = ({ deployment, gate, daemonSet, revision }: About): OwnedObject | undefined =>
  deployment ?? gate ?? daemonSet ?? (typeof revision === 'object' ? revision : undefined)

/** Those that were refused come last: of many, they would use up what a pass may try. */
export function refusedLast<A extends About>(actions: readonly A[], refusals: Refusals | undefined): readonly A[] {
  if (refusals === undefined) return actions
  const { fresh = [], refused = [] } = Object.groupBy(actions, (action) =>
    refusals.has(actionKey(action)) ? 'refused' : 'fresh',
  )
  return [...fresh, ...refused]
}

/** So many of them, and as many that were refused: these neither take the place of others nor lose their own. */
export function atMost<A extends About>(
  max: number,
  actions: readonly A[],
  refusals: Refusals | undefined,
): readonly A[] {
  if (refusals === undefined) return actions.slice(0, max)
  const isRefused = (action: A): boolean => refusals.has(actionKey(action))
  const fresh = actions.filter((action) => !isRefused(action)).slice(0, max)
  return [...fresh, ...actions.filter(isRefused).slice(0, max)]
}

/** Of the writes that are still to be done. */
export function refusalReasons(
  actions: readonly About[],
  refusals: Refusals | undefined,
  ids: string,
): readonly Reason[] {
  if (refusals === undefined) return []
  return actions.flatMap((action): readonly Reason[] => {
    const words = refusals.get(actionKey(action))
    if (words === undefined) return []
    const object = subjectOf(action, ids)
    return [{ code: 'WriteRefused', object, text: `what is next for ${object} is refused: ${words}` }]
  })
}

import type { Refusals } from '../../ground/model/owned/refused-write.ts'
import type { OwnedObject } from '../../ground/model/owned-object.ts'
import type { Reason } from '../../ground/model/reason.ts'
import { NODE_ANNOTATION } from '../../ground/model/slot.ts'
import type { WallMs } from '../../ground/model/time.ts'

/** By node, when its operation was refused last: nodes that gave their slot back, and do not find it first again. */
export type Unbegun = ReadonlyMap<string, WallMs>

/** What a decision knows of refusals. */
interface RefusalsNow {
  readonly now: WallMs
  readonly refusals?: Refusals
}

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

/** The object that an action is about, other than the Deployment of a node. */
export const objectOf = ({ deployment, gate, daemonSet, revision }: About): OwnedObject | undefined =>
  deployment ?? gate ?? daemonSet ?? (typeof revision === 'object' ? revision : undefined)

/** When the pause of one that was refused is over. Undefined: it may be tried now. */
export function pauseOf(action: About, { refusals, now }: RefusalsNow): WallMs | undefined {
  const until = refusals?.get(actionKey(action))?.until
  return until === undefined || until <= now ? undefined : until
}

interface Split<A> {
  readonly now: readonly A[]
  /** They were refused: their pause is not over, or others come first. */
  readonly later: readonly A[]
}

/** So many of them, and as many whose pause is over: what was refused neither takes the place of others nor loses its own. */
export function atMost<A extends About>(max: number, actions: readonly A[], known: RefusalsNow): Split<A> {
  const { refusals } = known
  if (refusals === undefined) return { now: actions.slice(0, max), later: [] }
  const {
    fresh = [],
    due = [],
    paused = [],
  } = Object.groupBy(actions, (action) => {
    if (!refusals.has(actionKey(action))) return 'fresh'
    return pauseOf(action, known) === undefined ? 'due' : 'paused'
  })
  return { now: [...fresh.slice(0, max), ...due.slice(0, max)], later: [...paused, ...due.slice(max)] }
}

/**
 * Those that were refused come last, and before them those of a kind of which any was: of many, they would use up what a pass may try,
 * again and again.
 */
export function refusedLast<A extends About>(actions: readonly A[], refusals: Refusals): readonly A[] {
  const kinds = new Set([...refusals.keys()].map(kindOfKey))
  const {
    fresh = [],
    doubtful = [],
    refused = [],
  } = Object.groupBy(actions, (action) =>
    refusals.has(actionKey(action)) ? 'refused' : kinds.has(action.kind) ? 'doubtful' : 'fresh',
  )
  return [...fresh, ...doubtful, ...refused]
}

const kindOfKey = (key: string): string => key.slice(0, key.indexOf(' '))

/** Of the writes that are still to be done. Their order does not depend on which of them are tried now. */
export function refusalReasons(actions: readonly About[], refusals: Refusals, ids: string): readonly Reason[] {
  return actions
    .flatMap((action) => {
      const words = refusals.get(actionKey(action))?.words
      return words === undefined ? [] : [{ object: subjectOf(action, ids), words }]
    })
    .map(({ object, words }) => ({
      ...{ code: 'WriteRefused' as const, object },
      text: `the next write for ${object} is refused: ${words}`,
    }))
    .toSorted((one, other) =>
      one.object === other.object ? order(one.text, other.text) : order(one.object, other.object),
    )
}

const order = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)

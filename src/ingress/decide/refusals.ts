import type { Refusals } from '../../ground/model/owned/refused-write.ts'
import type { OwnedObject } from '../../ground/model/owned-object.ts'
import type { Reason } from '../../ground/model/reason.ts'
import { NODE_ANNOTATION } from '../../ground/model/slot.ts'
import type { WallMs } from '../../ground/model/time.ts'

/** By node: when its operation was refused last. Such nodes released their slot, and must not take it again before the others. */
export type Unbegun = ReadonlyMap<string, WallMs>

/** What a decision knows of refusals. */
interface RefusalsNow {
  readonly now: WallMs
  readonly refusals?: Refusals
}

/** The fields of an action that name what it changes. */
interface About {
  readonly kind: string
  readonly node?: string
  readonly deployment?: OwnedObject
  readonly gate?: OwnedObject
  readonly daemonSet?: OwnedObject
  /** A ControllerRevision, or the hash of a template. */
  readonly revision?: OwnedObject | string
}

/** The kind of an action and the name of the object that it changes. */
export const actionKey = (action: About): string => `${action.kind} ${action.node ?? objectOf(action)?.name ?? ''}`

/** The node of an action, or else the name of its object. */
function subjectOf(action: About, ids: string): string {
  const object = objectOf(action)
  return action.node ?? object?.annotations[NODE_ANNOTATION] ?? object?.name ?? ids
}

/** The object in an action. Actions for a node have none. */
export const objectOf = ({ deployment, gate, daemonSet, revision }: About): OwnedObject | undefined =>
  deployment ?? gate ?? daemonSet ?? (typeof revision === 'object' ? revision : undefined)

/** The end of the pause after a refusal. Undefined: the action may be tried now. */
export function pauseOf(action: About, { refusals, now }: RefusalsNow): WallMs | undefined {
  const until = refusals?.get(actionKey(action))?.until
  return until === undefined || until <= now ? undefined : until
}

interface Split<A> {
  readonly now: readonly A[]
  /** Those beyond that number, and refused actions whose pause is not over or that come after others. */
  readonly later: readonly A[]
}

/** At most so many new actions, and as many refused ones whose pause is over, so neither takes the place of the other. */
export function atMost<A extends About>(max: number, actions: readonly A[], known: RefusalsNow): Split<A> {
  const { refusals } = known
  if (refusals === undefined) return { now: actions.slice(0, max), later: actions.slice(max) }
  const {
    fresh = [],
    due = [],
    paused = [],
  } = Object.groupBy(actions, (action) => {
    if (!refusals.has(actionKey(action))) return 'fresh'
    return pauseOf(action, known) === undefined ? 'due' : 'paused'
  })
  return {
    now: [...fresh.slice(0, max), ...due.slice(0, max)],
    later: [...fresh.slice(max), ...paused, ...due.slice(max)],
  }
}

/**
 * Puts refused actions last, and before them those of a kind of which one was refused. Otherwise they would use up the refusals that a pass
 * may have, each time.
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

/** The reasons for refused writes that are still wanted. Their order does not depend on which are tried now. */
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

import type { Reason } from '../../ground/model/reason.ts'
import { kubectl, say } from '../../ground/model/sentence.ts'
import { takesNoPods } from './asks.ts'
import { mayGo, targetGone } from './may-go.ts'
import { type GroupNode, type GuardPass, isAway, isStuck } from './pass.ts'
import type { GuardView } from './snapshot.ts'

/** Why a node may not go, beside the node budget: other nodes without a guard, and holds. */
export function whyNot(pass: GuardPass, x: GroupNode): readonly Reason[] {
  // A node without a ready guard does not wait for a stuck node. That one would wait for it, too, and both for ever.
  const away = pass.away.filter((other) => other !== x && !(isAway(x) && isStuck(other)))
  const answer = mayGo(pass, x)
  return [
    ...(answer.kind === 'held' ? answer.reasons : []),
    ...(away.length === 0 ? [] : [missingElsewhere(x, away)]),
    ...x.wanted.flatMap(({ view }) => view.foreignBudgets.map((name) => foreignBudget(x, name))),
    ...pass.s.refusedGuards.map((name) => unknownGuard(x, name)),
    ...x.wanted.flatMap(({ view }) => (isUnsure(view) ? [targetGone(view)] : [])),
    ...(wouldComeBack(x) ? [notCordoned(x)] : []),
  ]
}

function missingElsewhere({ name }: GroupNode, away: readonly GroupNode[]): Reason {
  const names = away.slice(0, 3).map((other) => other.name)
  const more = away.length - names.length
  return {
    code: 'GuardMissingElsewhere',
    object: name,
    text: `the guard of ${names.join(', ')}${more > 0 ? ` and ${more} more` : ''} is missing or not ready`,
    next: 'bring it back; if the node never comes back, delete its Node',
  }
}

const foreignBudget = ({ name }: GroupNode, budget: string): Reason => ({
  code: 'ForeignBudget',
  object: name,
  text: `PodDisruptionBudget ${budget} selects the guard of ${name} as well, so that each eviction fails`,
  next: `change the selector of ${budget}, or remove it`,
})

/** In mode Budget, a deleted guard would be placed on the node again. */
const wouldComeBack = ({ node, wanted }: GroupNode): boolean =>
  node !== undefined && !takesNoPods(node) && wanted.some(({ n, isThere }) => isThere && n.own === undefined)

const notCordoned = ({ name, asks = '' }: GroupNode): Reason => ({
  code: 'NotCordoned',
  object: name,
  text: `${name} ${asks} and is not cordoned, so its guard would come back immediately`,
  next: kubectl`cordon ${name}`,
})

/** The DaemonSet is gone, so it is not known which nodes are to have a guard, nor which guards are missing. */
const isUnsure = ({ isTargetGone, fleet }: GuardView): boolean => isTargetGone && fleet !== undefined

const unknownGuard = ({ name }: GroupNode, guard: string): Reason => ({
  code: 'GuardRefused',
  object: name,
  text: `NodeGuard ${guard} of the same group makes no sense, so it is not known what holds ${name}`,
  next: say`${kubectl`describe nodeguard ${guard}`} says what to change`,
})

import type { LoopDecision } from '../../ground/model/loop-decision.ts'
import type { Reason } from '../../ground/model/reason.ts'
import { type GuardAction, guardActionKey } from './action.ts'
import { closeAll, grants } from './grants.ts'
import { type GuardPass, guardPass } from './pass.ts'
import type { GuardSnapshot } from './snapshot.ts'
import { upkeep } from './upkeep.ts'

/** Holds may be read over the network, or end without an event. */
const HELD_AGAIN_MS = 1_000
const WAITING_AGAIN_MS = 5_000
const STALE_AGAIN_MS = 5_000
const REFUSED_AGAIN_MS = 10_000
/** A watch that breaks is usually back within seconds. */
const UNKNOWN_MS_MAX = 60_000

/** At most so many actions in a pass. */
const AT_ONCE = 200

/**
 * Decides for the guards of a group: first the budgets to close and the grants, then the objects. `isHeld`: the action waits, since it was
 * done in vain before.
 *
 * Law: while the world is not known as it is now, no node is granted.
 */
export function decideGuards(
  s: GuardSnapshot,
  isHeld: (action: GuardAction) => boolean = () => false,
): LoopDecision<GuardAction> {
  const pass = guardPass(s)
  if (!s.isFresh) return unknownWorld(pass)
  const { actions, reasons } = grants(pass)
  const strays = s.strays.map((pod): GuardAction => ({ kind: 'unlockStray', pod }))
  const wanted = [...actions, ...s.guards.flatMap((view) => upkeep(pass, view)), ...strays]
  const isPaused = (action: GuardAction): boolean =>
    (s.refusals.get(guardActionKey(action))?.until ?? s.now) > s.now || isHeld(action)
  const refused = wanted.flatMap((action) => refusedReason(s, action))
  const due = wanted.filter((action) => !isPaused(action))
  const now = due.slice(0, AT_ONCE)
  const later = [...wanted.filter(isPaused), ...due.slice(AT_ONCE)]
  const all = [...refused, ...reasons]
  if (now.length > 0) return { kind: 'act', actions: now, reasons: all, later }
  // What holds the node may end the grant, and no event says so.
  const isOpen = pass.nodes.some(({ members }) => members.some((member) => member.isOpen))
  if (all.length === 0 && later.length === 0 && !isOpen) return { kind: 'settled', reasons: [] }
  return { kind: 'hold', reasons: all, recheckAfterMs: isOpen ? HELD_AGAIN_MS : recheckOf(all), later }
}

/** A grant that nobody can look after ends after a while: a hold may hold again, or the node may have no slot any more. */
function unknownWorld(pass: GuardPass): LoopDecision<GuardAction> {
  const { s } = pass
  const actions = s.unknownForMs > UNKNOWN_MS_MAX ? closeAll(pass) : []
  const reasons = [unknown(s)]
  return actions.length > 0
    ? { kind: 'act', actions, reasons }
    : { kind: 'hold', reasons, recheckAfterMs: STALE_AGAIN_MS }
}

const unknown = ({ group }: GuardSnapshot): Reason => ({
  code: 'GuardsUnknown',
  object: group,
  text: `the current state of the guards of group ${group} is not known, so no node is granted`,
})

function refusedReason({ refusals }: GuardSnapshot, action: GuardAction): readonly Reason[] {
  const words = refusals.get(guardActionKey(action))?.words
  const object = subjectOf(action)
  return words === undefined
    ? []
    : [{ code: 'WriteRefused', object, text: `the next write for ${object} is refused: ${words}` }]
}

/** The node of the action, else its guard. */
function subjectOf(action: GuardAction): string {
  if (action.kind === 'unlockStray') return action.pod.name
  if ('node' in action && action.node !== undefined && action.node !== '') return action.node
  if (!('view' in action)) return action.node
  return 'wanted' in action ? (action.wanted.node ?? action.view.guard.name) : action.view.guard.name
}

function recheckOf(reasons: readonly Reason[]): number {
  if (reasons.some(({ code }) => code === 'HoldStands' || code === 'HoldUnknown')) return HELD_AGAIN_MS
  return reasons.every(({ code }) => code === 'WriteRefused') ? REFUSED_AGAIN_MS : WAITING_AGAIN_MS
}

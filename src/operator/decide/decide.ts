import type { LoopDecision } from '../../ground/model/loop-decision.ts'
import type { Reason } from '../../ground/model/reason.ts'
import { type RollAction, rollActionKey } from './action.ts'
import { answerOf } from './roll-answer.ts'
import type { RollObjectSnapshot } from './snapshot.ts'

const STALE_AGAIN_MS = 5_000
const REFUSED_AGAIN_MS = 10_000

/** Decides for one Roll. */
export function decideRoll(s: RollObjectSnapshot): LoopDecision<RollAction> {
  if (!s.isFresh) return { kind: 'hold', reasons: [unknown(s)], recheckAfterMs: STALE_AGAIN_MS }
  const { actions, reasons, againMs } = answerOf(s)
  const refused = actions.flatMap((action) => refusedReason(s, action))
  const due = actions.filter((action) => (s.refusals.get(rollActionKey(action))?.until ?? s.now) <= s.now)
  const later = actions.filter((action) => !due.includes(action))
  const all = [...refused, ...reasons]
  if (due.length > 0) return { kind: 'act', actions: due, reasons: all, later }
  if (later.length > 0) return { kind: 'hold', reasons: all, recheckAfterMs: REFUSED_AGAIN_MS, later }
  return againMs === undefined
    ? { kind: 'settled', reasons: all }
    : { kind: 'hold', reasons: all, recheckAfterMs: againMs }
}

const unknown = ({ roll }: RollObjectSnapshot): Reason => ({
  code: 'RollUnknown',
  object: roll.name,
  text: 'the current state of the Rolls and their Jobs is not known, so nothing is begun or ended',
})

function refusedReason({ refusals, roll }: RollObjectSnapshot, action: RollAction): readonly Reason[] {
  const words = refusals.get(rollActionKey(action))?.words
  if (words === undefined) return []
  return [{ code: 'WriteRefused', object: roll.name, text: `the next write for ${roll.name} is refused: ${words}` }]
}

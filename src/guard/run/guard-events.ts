import { type EventTypes, type Saying, sayingsOf } from '../../ground/loop/owned/events-once.ts'
import type { Reason } from '../../ground/model/reason.ts'
import type { GuardAction } from '../decide/action.ts'
import type { CheckedGuard } from '../decide/guard-kind.ts'

/** The Events of a NodeGuard. */
export const guardSayings = (reasons: readonly Reason[]): readonly Saying[] =>
  sayingsOf(reasons, EVENTS, ({ code, object = '' }) => `${code} ${object}`)

/** A reason for each grant of this pass. */
export const grantReasons = (guard: CheckedGuard, actions: readonly GuardAction[]): readonly Reason[] =>
  actions.flatMap((action): readonly Reason[] => {
    if ((action.kind !== 'openGate' && action.kind !== 'letGo') || action.view.guard.uid !== guard.uid) return []
    const { node, released } = action
    if (released === undefined)
      return [{ code: 'NodeGranted', object: node, text: `${node} is granted: its guard may be evicted` }]
    const { by, why, passedOver } = released
    const reason = why === undefined ? '' : ` (${why})`
    return [
      {
        code: 'GrantReleased',
        object: node,
        text: `${node} was granted although it is held, released by ${by}${reason}: ${passedOver}`,
      },
    ]
  })

const EVENTS: EventTypes = {
  NodeGranted: 'Normal',
  HoldStands: 'Normal',
  HeldByHand: 'Normal',
  OtherNodeFirst: 'Normal',
  HoldUnknown: 'Warning',
  HeldTooLong: 'Warning',
  GrantReleased: 'Warning',
  ReleasesUnreadable: 'Warning',
  GuardMissingElsewhere: 'Warning',
  ForeignBudget: 'Warning',
  TargetGone: 'Warning',
  WriteRefused: 'Warning',
  WriteUndone: 'Warning',
  GuardRefused: 'Warning',
}

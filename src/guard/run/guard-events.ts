import { type EventTypes, type Saying, sayingsOf } from '../../ground/loop/owned/events-once.ts'
import type { Reason } from '../../ground/model/reason.ts'
import type { GuardAction } from '../decide/action.ts'
import type { CheckedGuard } from '../decide/guard-kind.ts'
import type { GuardView } from '../decide/snapshot.ts'

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

/** The writes for this guard and its nodes that are refused. */
export const refusalsOf = (view: GuardView, reasons: readonly Reason[]): readonly Reason[] =>
  reasons.filter((reason) => reason.code === 'WriteRefused' && isAbout(view, reason))

/** The writes for this guard and its nodes that others set back each time. */
export function undoneOf(view: GuardView, reasons: readonly Reason[]): readonly Reason[] {
  // The key of an action names an object by the UID of its guard (`guardActionKey`).
  const ofGuard = `${view.guard.uid}/`
  return reasons
    .filter(({ code }) => code === 'WriteUndone')
    .flatMap((reason) => {
      const { object = '', text } = reason
      if (!object.startsWith(ofGuard)) return isAbout(view, reason) ? [reason] : []
      return [{ ...reason, object: object.slice(ofGuard.length), text: text.replace(ofGuard, '') }]
    })
}

const isAbout = ({ guard: { name }, nodes }: GuardView, { object = '' }: Reason): boolean =>
  object === name || nodes.some((n) => n.name === object)

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

import { EventsOnce } from '../../ground/loop/owned/events-once.ts'
import type { Reason } from '../../ground/model/reason.ts'
import type { ObjectNotices } from '../../ground/ports/object-notices.ts'
import type { GuardAction } from '../decide/action.ts'
import { type CheckedGuard, NODE_GUARDS } from '../decide/guard-kind.ts'

/** Tells of a NodeGuard what a person is to know, each thing once, and again when it comes back. */
export class GuardEvents {
  readonly #events: EventsOnce

  constructor(notices: ObjectNotices) {
    this.#events = new EventsOnce(notices)
  }

  async tell({ name, namespace, uid }: CheckedGuard, reasons: readonly Reason[], signal: AbortSignal): Promise<void> {
    const sayings = reasons.flatMap((reason) => {
      const { code, object = '' } = reason
      const type = EVENTS[code]
      return type === undefined ? [] : [{ key: `${code} ${object}`, type, reason }]
    })
    this.#events.forgetOthers(uid, new Set(sayings.map(({ key }) => key)))
    await this.#events.tell({ kind: NODE_GUARDS, name, namespace, uid }, sayings, signal)
  }
}

/** The grants of this pass, as reasons. */
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

/** Which reasons are worth an Event, and whether a person is to look. */
const EVENTS: Readonly<Partial<Record<Reason['code'], 'Normal' | 'Warning'>>> = {
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
  GuardRefused: 'Warning',
}

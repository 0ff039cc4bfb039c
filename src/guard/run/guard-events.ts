import { apiVersionOf } from '../../ground/model/object-kind.ts'
import type { Reason } from '../../ground/model/reason.ts'
import type { ObjectNotices } from '../../ground/ports/object-notices.ts'
import type { GuardAction } from '../decide/action.ts'
import { type CheckedGuard, NODE_GUARDS } from '../decide/guard-kind.ts'
import type { GuardMemory } from './guard-memory.ts'

interface EventsParts {
  readonly notices: ObjectNotices
  readonly memory: Pick<GuardMemory, 'isNews' | 'forget'>
}

/** Tells of a NodeGuard what a person is to know, each thing once. */
export class GuardEvents {
  readonly #parts: EventsParts

  constructor(parts: EventsParts) {
    this.#parts = parts
  }

  async tell(guard: CheckedGuard, reasons: readonly Reason[], signal: AbortSignal): Promise<void> {
    const { memory, notices } = this.#parts
    const { name, namespace, uid } = guard
    const about = { apiVersion: apiVersionOf(NODE_GUARDS), kind: NODE_GUARDS.kind, namespace, name, uid }
    memory.forget(uid, reasons)
    for (const reason of reasons) {
      const type = EVENTS[reason.code]
      if (type !== undefined && memory.isNews(uid, reason)) await notices.tell({ ...about, type, reason }, signal)
    }
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

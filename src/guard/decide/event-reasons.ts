import type { Reason } from '../../ground/model/reason.ts'
import { isLate } from './conditions.ts'
import { grants } from './grants.ts'
import { targetGone } from './may-go.ts'
import { guardPass, isTooLong } from './pass.ts'
import type { GuardSnapshot, GuardView } from './snapshot.ts'

/** The reasons for the Events of a guard, beside its grants. */
export function guardReasons(s: GuardSnapshot, view: GuardView): readonly Reason[] {
  if (!s.isFresh) return []
  const pass = guardPass(s)
  const { guard } = view
  const all = grants(pass).reasons
  const names = new Set(all.length === 0 ? [] : view.nodes.flatMap(({ name, isWanted }) => (isWanted ? name : [])))
  const reasons = all.filter(({ object = '' }) => names.has(object))
  const long = guard.releases.entries.find(({ until }) => isTooLong(until, s.now))
  const unreadable =
    guard.releases.unreadable ?? (long === undefined ? undefined : `that of ${long.node} ends in more than 24 hours`)
  const late = reasons.filter(
    ({ code, object = '' }) =>
      HELD.includes(code) && isLate(s, view, { requestedAt: s.requestedAt.get(object) ?? s.now }),
  )
  return [
    ...(view.isTargetGone ? [targetGone(view)] : []),
    ...(unreadable === undefined
      ? []
      : [
          {
            code: 'ReleasesUnreadable',
            object: guard.name,
            text: `the releases by hand of ${guard.name} cannot be read, so they release nothing: ${unreadable}`,
          } as const,
        ]),
    ...reasons,
    ...[...new Set(late.map(({ object = '' }) => object))].map(
      (object): Reason => ({
        code: 'HeldTooLong',
        object,
        text: `${object} has been held for longer than maxHold allows, which is ${(guard.spec.maxHold?.afterMs ?? 0) / 1_000} s`,
      }),
    ),
  ]
}

const HELD: readonly string[] = ['HoldStands', 'HoldUnknown', 'HeldByHand']

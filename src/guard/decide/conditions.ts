import type { ConditionWords } from '../../ground/model/condition.ts'
import { messageOf, type Reason } from '../../ground/model/reason.ts'
import type { WallMs } from '../../ground/model/time.ts'
import { targetGone } from './may-go.ts'
import type { MemberState } from './member-state.ts'
import type { GuardSnapshot, GuardView } from './snapshot.ts'

/** A node of a guard, as the status counts it. */
export interface Row extends MemberState {
  readonly name: string
  readonly requestedAt?: WallMs
  readonly isReady: boolean
}

interface Seen {
  readonly rows: readonly Row[]
  /** How many nodes beside these are Armed. */
  readonly quiet: number
  readonly refusals: readonly Reason[]
}

type Words = Omit<ConditionWords, 'type'>

/** The conditions of a NodeGuard. `Ready` and `Stalled` are those that kstatus goes by. */
export function guardConditions(s: GuardSnapshot, view: GuardView, seen: Seen): readonly ConditionWords[] {
  return [
    { type: 'Ready', ...ready(view, seen) },
    { type: 'Held', ...held(s, view, seen) },
    { type: 'Degraded', ...degraded(seen) },
    { type: 'Conflict', ...conflict(seen) },
    { type: 'Stalled', ...stalled(seen) },
  ]
}

const is = (status: boolean, reason: string, message: string): Words => ({
  status: status ? 'True' : 'False',
  reason,
  message,
})

function ready(view: GuardView, { rows, quiet }: Seen): Words {
  const [desired, guarded] = [quiet + rows.length, quiet + rows.filter(({ isReady }) => isReady).length]
  const counted = `${guarded} of ${desired} nodes are guarded`
  if (view.isTargetGone) return is(false, 'TargetGone', `${counted}; ${targetGone(view).text}`)
  if (desired === 0) return is(false, 'NoNodes', 'no node needs a guard')
  return guarded === desired ? is(true, 'AllGuarded', counted) : is(false, 'NodesUnguarded', counted)
}

function held(s: GuardSnapshot, view: GuardView, { rows }: Seen): Words {
  const found = inState(rows, 'Held')
  if (found.length === 0) return is(false, 'NotHeld', 'no node that asks is held')
  const isLong = found.some((row) => isLate(s, view, row))
  return is(true, isLong ? 'HeldTooLong' : 'NodesHeld', `held: ${named(found)}`)
}

function degraded({ rows }: Seen): Words {
  const found = inState(rows, 'Degraded', 'Draining', 'Conflict')
  if (found.length === 0) return is(false, 'AsWanted', 'every guard is there')
  return is(true, 'GuardsMissing', `without a guard that is ready: ${named(found)}`)
}

function conflict({ rows }: Seen): Words {
  const found = inState(rows, 'Conflict')
  const [first] = found
  if (first === undefined) return is(false, 'NoConflict', 'nothing stands against the budgets of the guards')
  return is(true, 'Conflict', first.reason?.text ?? `more than one node is without its guard: ${named(found)}`)
}

function stalled({ refusals: [refusal] }: Seen): Words {
  return refusal === undefined
    ? is(false, 'NotStalled', 'no write is refused')
    : is(true, 'WriteRefused', messageOf(refusal))
}

const inState = (rows: readonly Row[], ...states: readonly MemberState['state'][]): readonly Row[] =>
  rows.filter(({ state }) => states.includes(state))

export const isLate = (
  { now }: GuardSnapshot,
  { guard }: GuardView,
  { requestedAt: at }: Pick<Row, 'requestedAt'>,
): boolean => guard.spec.maxHold !== undefined && at !== undefined && now - at >= guard.spec.maxHold.afterMs

const NAMED_AT_MOST = 3

function named(rows: readonly Row[]): string {
  const names = rows.slice(0, NAMED_AT_MOST).map(({ name }) => name)
  const more = rows.length - names.length
  return `${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

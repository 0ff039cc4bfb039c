import type { ConditionWords } from '../../model/condition.ts'
import type { WantedStatus } from '../../model/object-status.ts'
import type { Reason } from '../../model/reason.ts'
import { toIso, toIsoSeconds, type WallMs } from '../../model/time.ts'
import { sinceOf, type ToldNodes } from '../owned/told-nodes.ts'
import type { GuardAction } from './action.ts'
import { type Granting, grants } from './grants.ts'
import { targetGone } from './may-go.ts'
import { type GuardPass, guardPass, requestedAt } from './pass.ts'
import type { GuardSnapshot, GuardView } from './snapshot.ts'
import { type Standing, standingOf } from './standing.ts'

/** Objects have a bound in size, and a status is read by people. */
const NODES_MAX = 100
const RELEASED_MAX = 10

interface Row extends Standing {
  readonly name: string
  readonly requestedAt?: WallMs
  readonly isReady: boolean
}

interface Told {
  /** As the status has it from before. */
  readonly nodes: ToldNodes
  readonly fields: Readonly<Record<string, unknown>>
}

/** What the status of a guard is to say. Undefined: the world is not known as it is now, so what stands there stays. */
export function guardStatus(
  s: GuardSnapshot,
  view: GuardView,
  {
    told,
    actions,
    refusals,
  }: { readonly told: Told; readonly actions: readonly GuardAction[]; readonly refusals: readonly Reason[] },
): WantedStatus | undefined {
  if (!s.isFresh) return undefined
  const pass = guardPass(s)
  const granting = grants(pass)
  const rows = rowsOf(pass, view, granting)
  const { lead } = granting
  const isLeads = lead?.members.some((member) => member.view === view && (member.isOpen || !member.isThere))
  const listed = rows.filter(({ state }) => state !== 'Armed').toSorted(byUrgency)
  const now = toIsoSeconds(s.now)
  const released = releasedList(s, view, { actions, before: told.fields.released })
  return {
    conditions: conditionsOf(s, view, { rows, refusals }),
    fields: {
      desiredNodes: rows.length,
      guardedNodes: rows.filter(({ isReady }) => isReady).length,
      requestedNodes: rows.filter(({ state }) => state === 'Requested' || state === 'Held').length,
      heldNodes: rows.filter(({ state }) => state === 'Held').length,
      ...(lead !== undefined && isLeads ? { grantedNode: lead.name } : {}),
      nodes: listed.slice(0, NODES_MAX).map((row) => {
        const since = sinceOf(told.nodes, { name: row.name, state: row.state, now })
        return {
          name: row.name,
          state: row.state,
          ...(row.reason === undefined ? {} : { reason: row.reason.code, message: messageOf(row.reason) }),
          ...(since === undefined ? {} : { since }),
          ...(row.requestedAt === undefined ? {} : { requestedAt: toIso(row.requestedAt) }),
        }
      }),
      ...(listed.length > NODES_MAX ? { truncated: true } : {}),
      ...(released.length === 0 ? {} : { released }),
    },
  }
}

/** Of a NodeGuard that nothing is done by: its other fields, `fields`, stay as they stand. */
export function refusedGuardStatus(fields: WantedStatus['fields'], reasons: readonly Reason[]): WantedStatus {
  const words = { reason: 'GuardRefused', message: reasons.map(messageOf).join('. ') }
  return {
    fields,
    conditions: [
      { type: 'Stalled', status: 'True', ...words },
      { type: 'Ready', status: 'False', ...words },
    ],
  }
}

function rowsOf(pass: GuardPass, view: GuardView, granting: Granting): readonly Row[] {
  return pass.nodes.flatMap((x) => {
    const member = x.wanted.find((one) => one.view === view)
    if (member === undefined) return []
    const standing = standingOf(pass, x, member, granting)
    const asked = x.asks === undefined ? {} : { requestedAt: requestedAt(pass, x) }
    return [{ ...standing, name: x.name, isReady: member.isReady, ...asked }]
  })
}

const messageOf = ({ text, next }: Reason): string => (next === undefined ? text : `${text}; ${next}`)

const ORDER: Readonly<Record<Standing['state'], number>> = {
  ...{ Conflict: 0, Granted: 1, Draining: 1, Held: 2, Degraded: 3, Requested: 4, Armed: 5 },
}
const byUrgency = (one: Row, other: Row): number =>
  ORDER[one.state] - ORDER[other.state] || (one.name < other.name ? -1 : 1)

interface Seen {
  readonly rows: readonly Row[]
  readonly refusals: readonly Reason[]
}

/** `Ready` and `Stalled` are those that kstatus goes by. */
function conditionsOf(s: GuardSnapshot, view: GuardView, { rows, refusals }: Seen): readonly ConditionWords[] {
  const of = (...states: readonly Standing['state'][]) => rows.filter(({ state }) => states.includes(state))
  const [held, degraded, conflict] = [of('Held'), of('Degraded', 'Draining', 'Conflict'), of('Conflict')]
  const late = held.filter((row) => isLate(s, view, row))
  const guarded = rows.filter(({ isReady }) => isReady).length
  const counted = `${guarded} of ${rows.length} nodes are guarded`
  const [refusal] = refusals
  const isReady = rows.length > 0 && guarded === rows.length && !view.isTargetGone
  return [
    {
      type: 'Ready',
      ...is(
        isReady,
        isReady ? 'AllGuarded' : view.isTargetGone ? 'TargetGone' : 'NodesUnguarded',
        view.isTargetGone ? `${counted}; ${targetGone(view).text}` : counted,
      ),
    },
    {
      type: 'Held',
      ...is(
        held.length > 0,
        late.length > 0 ? 'HeldTooLong' : held.length > 0 ? 'NodesHeld' : 'NotHeld',
        held.length > 0 ? `held: ${named(held)}` : 'no node that asks is held',
      ),
    },
    {
      type: 'Degraded',
      ...is(
        degraded.length > 0,
        degraded.length > 0 ? 'GuardsMissing' : 'AsWanted',
        degraded.length > 0 ? `without a guard that is ready: ${named(degraded)}` : 'every guard is there',
      ),
    },
    {
      type: 'Conflict',
      ...is(
        conflict.length > 0,
        conflict.length > 0 ? 'Conflict' : 'NoConflict',
        conflict[0]?.reason?.text ??
          (conflict.length > 0
            ? `more than one node is without its guard: ${named(conflict)}`
            : 'nothing stands against the budgets of the guards'),
      ),
    },
    {
      type: 'Stalled',
      ...is(
        refusal !== undefined,
        refusal === undefined ? 'NotStalled' : 'WriteRefused',
        refusal === undefined ? 'no write is refused' : messageOf(refusal),
      ),
    },
  ]
}

const is = (status: boolean, reason: string, message: string) => ({
  status: status ? 'True' : 'False',
  reason,
  message,
})

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

interface Releasing {
  readonly actions: readonly GuardAction[]
  readonly before: unknown
}

/** The grants of this pass that pass over a hold, before those that the status has. */
function releasedList({ now }: GuardSnapshot, view: GuardView, { actions, before }: Releasing): readonly unknown[] {
  const old: readonly unknown[] = Array.isArray(before) ? before : []
  const fresh = actions.flatMap((action) =>
    (action.kind === 'openGate' || action.kind === 'letGo') && action.view === view && action.released !== undefined
      ? [{ node: action.node, ...action.released, at: toIso(now) }]
      : [],
  )
  // A grant that could not be written is tried again: it is one.
  const known = old.filter((entry) => !fresh.some(({ node, by }) => isOf(entry, { node, by })))
  return [...fresh, ...known].slice(0, RELEASED_MAX)
}

const isOf = (entry: unknown, { node, by }: { readonly node: string; readonly by: string }): boolean => {
  const { node: of, by: from } = entry as { readonly node?: unknown; readonly by?: unknown }
  return of === node && from === by
}

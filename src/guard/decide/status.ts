import type { WantedStatus } from '../../ground/model/object-status.ts'
import { type ListedNodes, sinceOf } from '../../ground/model/owned/listed-nodes.ts'
import { present } from '../../ground/model/present.ts'
import { messageOf, type Reason } from '../../ground/model/reason.ts'
import { toIso, toIsoSeconds } from '../../ground/model/time.ts'
import type { GuardAction } from './action.ts'
import { guardConditions, type Row } from './conditions.ts'
import { type Granting, grants } from './grants.ts'
import { type MemberState, memberStateOf } from './member-state.ts'
import { type GuardPass, guardPass, requestedAt } from './pass.ts'
import type { GuardSnapshot, GuardView } from './snapshot.ts'

/** Objects have a bound in size, and a status is read by people. */
const NODES_MAX = 100
const RELEASED_MAX = 10

interface Before {
  /** From the status that was written before. */
  readonly nodes: ListedNodes
  readonly fields: Readonly<Record<string, unknown>>
}

/** The wanted status of a guard. Undefined: the caches are late, so the status stays as it is. */
export function guardStatus(
  s: GuardSnapshot,
  view: GuardView,
  {
    before,
    actions,
    refusals,
  }: { readonly before: Before; readonly actions: readonly GuardAction[]; readonly refusals: readonly Reason[] },
): WantedStatus | undefined {
  if (!s.isFresh) return undefined
  const pass = guardPass(s)
  const granting = grants(pass)
  const rows = rowsOf(pass, view, granting)
  const quiet = pass.quiet.get(view) ?? 0
  const { lead } = granting
  const isLeads = lead?.members.some((member) => member.view === view && (member.isOpen || !member.isThere))
  const listed = rows.filter(({ state }) => state !== 'Armed').toSorted(byUrgency)
  const now = toIsoSeconds(s.now)
  const released = releasedList(s, view, { actions, before: before.fields.released })
  return {
    conditions: guardConditions(s, view, { rows, quiet, refusals }),
    fields: {
      desiredNodes: quiet + rows.length,
      guardedNodes: quiet + rows.filter(({ isReady }) => isReady).length,
      requestedNodes: rows.filter(({ state }) => state === 'Requested' || state === 'Held').length,
      heldNodes: rows.filter(({ state }) => state === 'Held').length,
      ...(lead !== undefined && isLeads ? { grantedNode: lead.name } : {}),
      nodes: listed.slice(0, NODES_MAX).map((row) => {
        const since = sinceOf(before.nodes, { name: row.name, state: row.state, now })
        return {
          name: row.name,
          state: row.state,
          ...(row.reason === undefined ? {} : { reason: row.reason.code, message: messageOf(row.reason) }),
          ...present({ since }),
          ...(row.requestedAt === undefined ? {} : { requestedAt: toIso(row.requestedAt) }),
          ...waited(s, row),
        }
      }),
      ...(listed.length > NODES_MAX ? { truncated: true } : {}),
      ...(released.length === 0 ? {} : { released }),
    },
  }
}

/** Only where its place in the queue goes by another time than that at which it began to ask. */
function waited({ waitedFrom }: GuardSnapshot, { name }: Row): { readonly waitedFrom?: string } {
  const from = waitedFrom.get(name)
  return from === undefined ? {} : { waitedFrom: toIso(from) }
}

/**
 * The wanted status of a refused NodeGuard. `known`: as it would be without the refusal. What the nodes are goes on to be told, since a
 * refusal ends a grant; absent: not known, so all else stays.
 */
export function refusedGuardStatus(
  { known, fields }: { readonly known: WantedStatus | undefined; readonly fields: WantedStatus['fields'] },
  reasons: readonly Reason[],
): WantedStatus {
  const words = { reason: 'GuardRefused', message: reasons.map(messageOf).join('. ') }
  const others = known?.conditions.filter(({ type }) => type !== 'Stalled' && type !== 'Ready') ?? []
  return {
    fields: known?.fields ?? fields,
    conditions: [
      { type: 'Stalled', status: 'True', ...words },
      { type: 'Ready', status: 'False', ...words },
      ...others,
    ],
  }
}

/** Without the quiet nodes, which are all Armed. */
function rowsOf(pass: GuardPass, view: GuardView, granting: Granting): readonly Row[] {
  return pass.nodes.flatMap((x) => {
    const member = x.wanted.find((one) => one.view === view)
    if (member === undefined) return []
    const state = memberStateOf(pass, x, { member, granting })
    const asked = x.asks === undefined ? {} : { requestedAt: requestedAt(pass, x) }
    return [{ ...state, name: x.name, isReady: member.isReady, ...asked }]
  })
}

const ORDER: Readonly<Record<MemberState['state'], number>> = {
  ...{ Conflict: 0, Granted: 1, Draining: 1, Held: 2, Degraded: 3, Requested: 4, Armed: 5 },
}
const byUrgency = (one: Row, other: Row): number =>
  ORDER[one.state] - ORDER[other.state] || (one.name < other.name ? -1 : 1)

interface Releasing {
  readonly actions: readonly GuardAction[]
  readonly before: unknown
}

/** The grants that overrode a hold: first those of this pass, then those in the status. */
function releasedList({ now }: GuardSnapshot, view: GuardView, { actions, before }: Releasing): readonly unknown[] {
  const old: readonly unknown[] = Array.isArray(before) ? before : []
  const fresh = actions.flatMap((action) =>
    (action.kind === 'openGate' || action.kind === 'letGo') && action.view === view && action.released !== undefined
      ? [{ node: action.node, ...action.released, at: toIso(now) }]
      : [],
  )
  // A grant whose write failed is tried again and is listed once.
  const known = old.filter((entry) => !fresh.some(({ node, by }) => isOf(entry, { node, by })))
  return [...fresh, ...known].slice(0, RELEASED_MAX)
}

const isOf = (entry: unknown, { node, by }: { readonly node: string; readonly by: string }): boolean => {
  const { node: of, by: from } = entry as { readonly node?: unknown; readonly by?: unknown }
  return of === node && from === by
}

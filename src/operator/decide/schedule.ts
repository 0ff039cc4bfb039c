import type { ConditionWords } from '../../ground/model/condition.ts'
import type { LoopDecision } from '../../ground/model/loop-decision.ts'
import type { WantedStatus } from '../../ground/model/object-status.ts'
import type { Refusals } from '../../ground/model/owned/refused-write.ts'
import { ownedMetadata, type WantedObject } from '../../ground/model/owned/wanted-object.ts'
import { present } from '../../ground/model/present.ts'
import { messageOf, type Reason } from '../../ground/model/reason.ts'
import { toIsoSeconds, type WallMs, wallMs } from '../../ground/model/time.ts'
import type { RollObject } from '../model/roll-object.ts'
import { type RollSchedule, SCHEDULE_UID_LABEL } from '../model/roll-schedule.ts'
import { keepsOut } from '../model/run-state.ts'
import type { ScheduleTimes } from '../model/schedule-times.ts'
import type { RollState } from './roll-answer.ts'

/** What is known of one RollSchedule. */
export interface ScheduleSnapshot {
  readonly now: WallMs
  readonly isFresh: boolean
  readonly schedule: RollSchedule
  /** What is wrong with it; empty: nothing. */
  readonly faults: readonly string[]
  /** Absent where it has faults, and where its Rolls are made on request. */
  readonly times?: ScheduleTimes
  /** Its Rolls. */
  readonly rolls: readonly RollObject[]
  /** How many Nodes say that they need a reboot; absent: nobody asked. */
  readonly needs?: number
  readonly refusals: Refusals
}

export type ScheduleAction =
  | { readonly kind: 'createRoll'; readonly name: string }
  | { readonly kind: 'deleteRoll'; readonly roll: RollObject }

export const scheduleActionKey = (action: ScheduleAction): string =>
  `${action.kind} ${action.kind === 'createRoll' ? action.name : action.roll.name}`

interface ScheduleAnswer {
  readonly reasons: readonly Reason[]
  readonly actions: readonly ScheduleAction[]
  /** The time that a Roll was made for, or that makes none. */
  readonly settled?: WallMs
}

const ENDED: readonly RollState[] = ['Succeeded', 'Stopped', 'Aborted']

export const hasEnded = ({ status, deleting }: RollObject): boolean =>
  deleting || ENDED.some((state) => state === status.fields.state)

/**
 * The rule of a RollSchedule.
 *
 * Law: a time of a schedule makes at most one Roll, and none while an earlier Roll of it is under way.
 * Law: replicas whose clocks differ by up to an hour make no Roll twice.
 */
export function scheduleAnswer(s: ScheduleSnapshot): ScheduleAnswer {
  const { schedule, times, rolls, now } = s
  if (schedule.deleting) return { reasons: [], actions: [] }
  if (s.faults.length > 0) return { reasons: [reason(s, 'ScheduleRefused', s.faults.join('. '))], actions: [] }
  const actions = tidied(s)
  if (times === undefined) return { reasons: [onRequest(s)], actions }
  const { due, next } = times
  const waits = reason(s, 'ScheduleWaits', `the next Roll is due at ${toIsoSeconds(next)}`)
  if (schedule.suspend)
    return { reasons: [reason(s, 'ScheduleSuspended', 'spec.suspend is true: no Roll is made')], actions }
  if (isAhead(s)) return { reasons: [waits], actions, settled: now }
  if (due === undefined) return { reasons: [waits], actions, ...unsettled(s) }
  const name = nameOf(schedule, due)
  if (rolls.some((roll) => roll.name === name)) return { reasons: [waits], actions, settled: due }
  const isLate = now - due > times.deadlineMs
  const active = rolls.find((roll) => !hasEnded(roll))
  if (active !== undefined) {
    const text = `no Roll is made for ${toIsoSeconds(due)}: Roll ${active.name} is still under way`
    return { reasons: [reason(s, 'ScheduleForbidden', text)], actions, ...(isLate ? { settled: due } : {}) }
  }
  if (isLate) return { reasons: [missed(s, times.missed + 1), waits], actions, settled: due }
  if (schedule.when === 'RebootRequired' && s.needs === 0) {
    const text = `no Roll is made for ${toIsoSeconds(due)}: no node says that it needs a reboot`
    return { reasons: [reason(s, 'ScheduleNotNeeded', text), waits], actions, settled: due }
  }
  const before = times.missed === 0 ? [] : [missed(s, times.missed)]
  return { reasons: [...before, waits], actions: [...actions, { kind: 'createRoll', name }] }
}

const onRequest = (s: ScheduleSnapshot): Reason =>
  s.schedule.suspend
    ? reason(s, 'ScheduleSuspended', 'spec.suspend is true: no Roll is made')
    : reason(s, 'ScheduleOnRequest', `a Roll is made when a node of group ${s.schedule.name} asks by FleetLock`)

/** The clocks of replicas that lead one after the other differ by no more, unless one of them is wrong. */
const CLOCKS_APART_MS = 3_600_000

const lastOf = ({ status }: RollSchedule): number => Date.parse(String(status.fields.lastScheduleTime))

/** Written by a clock that was wrong: until that time has come, no Roll would be made. */
const isAhead = ({ schedule, now }: ScheduleSnapshot): boolean => lastOf(schedule) > now + CLOCKS_APART_MS

/**
 * Since when times of a schedule are to be looked at: the time of its last Roll, or that made none; else when it was created. A time that has
 * not come yet by this clock had come by that of another replica, and is not to come again.
 */
export function scheduledSince({ schedule, rolls, now }: Pick<ScheduleSnapshot, 'schedule' | 'rolls' | 'now'>): WallMs {
  const last = lastOf(schedule)
  const from = Number.isNaN(last) ? schedule.createdAt : last > now + CLOCKS_APART_MS ? now : last
  return wallMs(Math.max(from, newestTime({ schedule, rolls, now }) ?? 0))
}

/** The latest time that a Roll was made for. The status may not have it yet, and the replica that made it may have a clock that is ahead. */
function newestTime({ schedule, rolls, now }: Parameters<typeof scheduledSince>[0]): WallMs | undefined {
  const times = rolls.map((roll) => timeOf(schedule, roll)).filter((at) => at <= now + CLOCKS_APART_MS)
  return times.length === 0 ? undefined : wallMs(Math.max(...times))
}

function unsettled(s: ScheduleSnapshot): Pick<ScheduleAnswer, 'settled'> {
  const newest = newestTime(s)
  return newest === undefined || newest <= lastOf(s.schedule) ? {} : { settled: newest }
}

const missed = (s: ScheduleSnapshot, count: number): Reason =>
  reason(
    s,
    'ScheduleMissed',
    `${count === 1 ? 'a time was' : `${count} times were`} missed: the controller was away, or an earlier Roll was under way`,
  )

/**
 * The oldest of those that have ended, beyond what is kept. One that keeps a node out stays for people: its deletion would put it back. One whose
 * time the status does not have yet stays as well: without both, its time would come again.
 */
function tidied({ schedule, rolls, now }: ScheduleSnapshot): readonly ScheduleAction[] {
  const isSettled = (roll: RollObject): boolean => {
    if (schedule.when === 'FleetLock') return true
    const at = timeOf(schedule, roll)
    return !(at > lastOf(schedule) || Number.isNaN(lastOf(schedule))) || !(at <= now + CLOCKS_APART_MS)
  }
  const ended = rolls
    .filter((roll) => hasEnded(roll) && !roll.deleting && !keepsOut(roll.status.fields))
    .filter(isSettled)
  const isDone = ({ status }: RollObject): boolean => status.fields.state === 'Succeeded'
  const beyond = (some: readonly RollObject[], kept: number): readonly RollObject[] =>
    some.toSorted((one, other) => other.createdAt - one.createdAt).slice(kept)
  const old = [
    ...beyond(ended.filter(isDone), schedule.keeps.succeeded),
    ...beyond(
      ended.filter((roll) => !isDone(roll)),
      schedule.keeps.others,
    ),
  ]
  return old.map((roll) => ({ kind: 'deleteRoll', roll }))
}

/** The same for the same time: two controllers make one Roll. */
const nameOf = ({ name }: RollSchedule, due: WallMs): string =>
  `${name}-${new Date(due).toISOString().slice(0, 16).replaceAll(/\D/g, '')}`

/** The time that a Roll was made for; NaN: its name has none. */
function timeOf({ name }: RollSchedule, roll: RollObject): number {
  const digits = roll.name.startsWith(`${name}-`) ? roll.name.slice(name.length + 1) : ''
  const [, year, month, day, hour, minute] = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)$/.exec(digits) ?? []
  return Date.parse(`${year}-${month}-${day}T${hour}:${minute}:00Z`)
}

const STALE_AGAIN_MS = 5_000
const REFUSED_AGAIN_MS = 10_000
/** A timer cannot be longer than some days, and clocks are set. */
const LOOK_AGAIN_MOST_MS = 60_000

export function decideSchedule(s: ScheduleSnapshot): LoopDecision<ScheduleAction> {
  if (!s.isFresh) return { kind: 'hold', reasons: [], recheckAfterMs: STALE_AGAIN_MS }
  const { actions, reasons } = scheduleAnswer(s)
  const due = actions.filter((action) => (s.refusals.get(scheduleActionKey(action))?.until ?? s.now) <= s.now)
  const later = actions.filter((action) => !due.includes(action))
  const refused = actions.flatMap((action) => {
    const words = s.refusals.get(scheduleActionKey(action))?.words
    const text = `the next write for ${s.schedule.name} is refused: ${words ?? ''}`
    return words === undefined ? [] : [reason(s, 'WriteRefused', text)]
  })
  const all = [...refused, ...reasons]
  if (due.length > 0) return { kind: 'act', actions: due, reasons: all, later }
  if (later.length > 0) return { kind: 'hold', reasons: all, recheckAfterMs: REFUSED_AGAIN_MS, later }
  if (s.times === undefined) return { kind: 'settled', reasons: all }
  const inMs = Math.max(100, Math.min(LOOK_AGAIN_MOST_MS, s.times.next - s.now))
  return { kind: 'hold', reasons: all, recheckAfterMs: inMs }
}

/** The status of a RollSchedule. Undefined: a watch is late, so the status stays as it is. */
export function scheduleStatus(s: ScheduleSnapshot, refusals: readonly Reason[]): WantedStatus | undefined {
  if (!s.isFresh) return undefined
  const { reasons, settled } = scheduleAnswer(s)
  const [first] = [...refusals, ...reasons]
  const isWell = s.faults.length === 0 && refusals.length === 0
  const words = { reason: first?.code ?? 'ScheduleWaits', message: reasons.map(messageOf).join('. ') }
  const conditions: readonly ConditionWords[] = [
    { type: 'Ready', status: isWell ? 'True' : 'False', ...words },
    { type: 'Stalled', status: isWell ? 'False' : 'True', ...words },
  ]
  const { lastScheduleTime, lastSuccessfulTime } = s.schedule.status.fields
  const done = s.rolls
    .filter(({ status }) => status.fields.state === 'Succeeded')
    .map(({ status }) => status.fields.endedAt)
    .filter((at) => typeof at === 'string')
    .toSorted()
    .at(-1)
  return {
    conditions,
    fields: {
      active: s.rolls.filter((roll) => !hasEnded(roll)).map(({ name }) => name),
      ...present({
        lastScheduleTime: settled === undefined ? lastScheduleTime : toIsoSeconds(settled),
        lastSuccessfulTime: done ?? lastSuccessfulTime,
        nextScheduleTime: s.times === undefined || s.schedule.suspend ? undefined : toIsoSeconds(s.times.next),
      }),
    },
  }
}

/** The Roll that a schedule makes. */
export const wantedRoll = (schedule: RollSchedule, name: string): WantedObject => ({
  metadata: ownedMetadata(
    { apiVersion: 'evenkeel.dev/v1alpha1', kind: 'RollSchedule', name: schedule.name, uid: schedule.uid },
    { name, labels: { [SCHEDULE_UID_LABEL]: schedule.uid } },
  ),
  spec: schedule.template,
})

const reason = ({ schedule }: ScheduleSnapshot, code: Reason['code'], text: string): Reason => ({
  code,
  object: schedule.name,
  text,
})

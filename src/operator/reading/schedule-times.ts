import { parseDuration } from '../../ground/model/duration.ts'
import { isJsonObject } from '../../ground/model/json-object.ts'
import { type WallMs, wallMs } from '../../ground/model/time.ts'
import { cronFault, cronTimes, zoneFault } from '../../roll/file/cron-times.ts'
import { rollFileOf } from '../model/roll-object.ts'
import type { RollSchedule } from '../model/roll-schedule.ts'
import type { ScheduleTimes } from '../model/schedule-times.ts'
import { fileOfRoll } from './file-faults.ts'

/** A schedule whose controller was away for longer is not counted to the end. */
const COUNTED_MAX = 100

/** What is wrong with it; empty: nothing. */
export function scheduleFaults(of: RollSchedule, allowed: readonly unknown[]): readonly string[] {
  if (of.when === 'FleetLock') return fleetLockFaults(of, allowed)
  const cron = cronFault(of.schedule)
  const zone = zoneFault(of.timeZone)
  const deadline = parseDuration(of.startingDeadline)
  return [
    ...(cron === undefined ? [] : [`spec.schedule: ${cron.message}; ${cron.fix.replace('cron:', 'schedule:')}`]),
    ...(zone === undefined ? [] : [`spec.timeZone: ${zone.message}; timeZone: ${zone.fix}`]),
    ...('error' in deadline ? [`spec.startingDeadline: ${deadline.error}; startingDeadline: 1h`] : []),
    ...templateFaults(of, allowed),
  ]
}

function fleetLockFaults(of: RollSchedule, allowed: readonly unknown[]): readonly string[] {
  const { reboot } = of.template
  const isByClient = isJsonObject(reboot) && reboot.fleetLock !== undefined
  return [
    ...(of.schedule === '' ? [] : ['spec.schedule: with when: FleetLock no time makes a Roll; remove it']),
    ...(isByClient ? [] : ['spec.template.spec.reboot: the client reboots its machine; reboot: { fleetLock: {} }']),
    ...templateFaults(of, allowed),
  ]
}

function templateFaults({ name, template }: RollSchedule, allowed: readonly unknown[]): readonly string[] {
  const file = fileOfRoll(name, rollFileOf(template), allowed)
  return 'faults' in file ? file.faults.map((fault) => `spec.template.${fault}`) : []
}

/** Of a schedule without faults. */
export function scheduleTimes(
  of: RollSchedule,
  { since, now }: { readonly since: WallMs; readonly now: WallMs },
): ScheduleTimes {
  const deadline = parseDuration(of.startingDeadline)
  const deadlineMs = 'ms' in deadline ? deadline.ms : 0
  let [due, missed]: [number | undefined, number] = [undefined, 0]
  // What is older than the deadline makes no Roll, so a long absence costs no long count.
  const from = Math.max(since, now - deadlineMs)
  for (const at of cronTimes(of.schedule, of.timeZone, since)) {
    if (at > now || missed >= COUNTED_MAX) break
    if (due !== undefined) missed += 1
    due = at
  }
  if (missed >= COUNTED_MAX) {
    for (const at of cronTimes(of.schedule, of.timeZone, from)) {
      if (at > now) break
      due = at
    }
  }
  const { value: next = now } = cronTimes(of.schedule, of.timeZone, Math.max(since, now)).next()
  return { ...(due === undefined ? {} : { due: wallMs(due) }), missed, next: wallMs(next), deadlineMs }
}

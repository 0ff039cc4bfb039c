import { selectorMatches } from '../../ground/model/label-selector.ts'
import { rollFileSchema } from '../../roll/file/schema/roll-file-schema.ts'
import type { FleetLockGroup } from '../decide/fleet-lock.ts'
import { rollFileOf } from '../model/roll-object.ts'
import type { RollSchedule } from '../model/roll-schedule.ts'
import { scheduleFaults } from './schedule-times.ts'

/** The group of a RollSchedule: what is wrong with it, and which nodes its template chooses. */
export function fleetLockGroup(schedule: RollSchedule, allowed: readonly unknown[]): FleetLockGroup {
  const faults = scheduleFaults(schedule, allowed)
  const spec = rollFileOf(schedule.template)
  const file = { apiVersion: 'evenkeel.dev/v1alpha1', kind: 'Roll', metadata: { name: schedule.name }, spec }
  const read = faults.length > 0 ? undefined : rollFileSchema.safeParse(file)
  const { names = [], selector, all = false } = read?.data?.spec.nodes ?? {}
  return {
    ...{ schedule, faults },
    chooses: ({ name, labels }) =>
      all || names.includes(name) || (selector !== undefined && selectorMatches(selector, labels)),
  }
}

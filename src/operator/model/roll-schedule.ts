import type { ObjectKind } from '../../ground/model/object-kind.ts'
import type { ObjectStatus } from '../../ground/model/object-status.ts'
import { parseCreatedAt, parseMetadata } from '../../ground/model/parse-metadata.ts'
import { parseObjectStatus } from '../../ground/model/parse-object-status.ts'
import { bootOfMessage, REBOOT_CONDITION } from '../../ground/model/reboot-condition.ts'
import type { WallMs } from '../../ground/model/time.ts'
import type { Untrusted } from '../../ground/model/untrusted.ts'

/** On a Roll: the UID of the RollSchedule that made it. */
export const SCHEDULE_UID_LABEL = 'evenkeel.dev/roll-schedule-uid'

/** On a Roll that was made since the client of its node asked. */
export const FLEET_LOCK_LABEL = 'evenkeel.dev/fleetlock'

export const SCHEDULE_DEFAULTS = { timeZone: 'UTC', startingDeadline: '1h', succeeded: 3, others: 3 } as const

/**
 * `RebootRequired`: only while the condition RebootRequired of a Node is true. `FleetLock`: at no time, but for each node whose client asks.
 */
export const SCHEDULE_WHEN = ['Always', 'RebootRequired', 'FleetLock'] as const

/** Makes Rolls at given times, as a CronJob makes Jobs. */
export interface RollSchedule {
  readonly namespace: string
  readonly name: string
  readonly uid: string
  readonly resourceVersion: string
  readonly generation: number
  readonly deleting: boolean
  readonly createdAt: WallMs
  /** Five fields, as in crontab; empty with `FleetLock`. */
  readonly schedule: string
  readonly timeZone: string
  /** How late a Roll may be made, as a duration in text. */
  readonly startingDeadline: string
  readonly when: (typeof SCHEDULE_WHEN)[number]
  readonly suspend: boolean
  /** How many Rolls that have ended are kept. */
  readonly keeps: { readonly succeeded: number; readonly others: number }
  /** The `spec` of its Rolls. */
  readonly template: Readonly<Record<string, unknown>>
  readonly status: ObjectStatus
}

export const ROLL_SCHEDULES: ObjectKind<RollSchedule> = {
  group: 'evenkeel.dev',
  version: 'v1alpha1',
  resource: 'rollschedules',
  kind: 'RollSchedule',
  namespaced: true,
  parse: parseRollSchedule,
}

function parseRollSchedule(object: Untrusted): RollSchedule {
  const { namespace, name, uid, resourceVersion, generation } = parseMetadata(object, 'namespaced')
  const spec = object.at('spec')
  const template = spec.at('template').at('spec')
  const { timeZone, startingDeadline, succeeded, others } = SCHEDULE_DEFAULTS
  return {
    ...{ namespace, name, uid, resourceVersion },
    generation: generation ?? 0,
    deleting: !object.at('metadata').at('deletionTimestamp').absent,
    createdAt: parseCreatedAt(object),
    schedule: spec.at('schedule').textOr(''),
    timeZone: spec.at('timeZone').textOr(timeZone),
    startingDeadline: spec.at('startingDeadline').textOr(startingDeadline),
    when: SCHEDULE_WHEN.find((one) => one === spec.at('when').textOr('')) ?? 'Always',
    suspend: spec.at('suspend').flagOr(false),
    keeps: {
      succeeded: spec.at('successfulRollsHistoryLimit').integerOr(succeeded),
      others: spec.at('failedRollsHistoryLimit').integerOr(others),
    },
    template: template.absent ? {} : template.fields(),
    status: parseObjectStatus(object.at('status')),
  }
}

/** Whether a Node says that it needs a reboot. */
interface NodeNeed {
  readonly name: string
  readonly isNeeded: boolean
}

export const NODE_NEEDS: ObjectKind<NodeNeed> = {
  group: '',
  version: 'v1',
  resource: 'nodes',
  kind: 'Node',
  namespaced: false,
  parse: (object) => ({ name: parseMetadata(object, 'cluster').name, isNeeded: saysNeed(object.at('status')) }),
}

/** One of an earlier boot says nothing: the machine has been rebooted since. */
function saysNeed(status: Untrusted): boolean {
  const bootId = status.at('nodeInfo').at('bootID').textOr('')
  const found = status
    .at('conditions')
    .each()
    .find((one) => one.at('type').textOr('') === REBOOT_CONDITION)
  const boot = bootOfMessage(found?.at('message').textOr('') ?? '')
  return found?.at('status').textOr('') === 'True' && (boot === undefined || boot === bootId)
}

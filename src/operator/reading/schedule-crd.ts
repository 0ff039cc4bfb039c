import { rulesOf } from '../../ground/model/schema/field-rule.ts'
import { choice, flag, integer, list, object, type Schema, text } from '../../ground/model/schema/open-api.ts'
import { SCHEDULE_DEFAULTS, SCHEDULE_WHEN } from '../model/roll-schedule.ts'
import { column, conditions, crdOf, rollSpec, time, wide } from './roll-crd.ts'

/** Names of Rolls are made from it. */
const SCHEDULE_NAME_MAX = 27

const rulesAt = rulesOf({
  scheduleName: {
    field: 'metadata.name',
    message: `the name is longer than ${SCHEDULE_NAME_MAX} characters, and names of Rolls are made from it`,
    fix: `choose a name of at most ${SCHEDULE_NAME_MAX} characters`,
  },
  scheduleTimes: {
    field: 'spec.schedule',
    message: 'it is not said when a Roll is made',
    fix: 'write schedule: "0 22 * * MON-FRI", or when: FleetLock',
  },
})

const SCHEDULE_RULES = rulesAt('', {
  scheduleName: [
    `size(self.metadata.name) <= ${SCHEDULE_NAME_MAX}`,
    (self) => self.at('metadata').at('name').textOr('').length <= SCHEDULE_NAME_MAX,
  ],
  scheduleTimes: [
    "has(self.spec.schedule) || (has(self.spec.when) && self.spec.when == 'FleetLock')",
    (self) => !self.at('spec').at('schedule').absent || self.at('spec').at('when').textOr('') === 'FleetLock',
  ],
})

/** The schema of a RollSchedule. */
function scheduleSchema(): Schema {
  const { timeZone, startingDeadline, succeeded, others } = SCHEDULE_DEFAULTS
  const limit = (about: string, byDefault: number): Schema =>
    integer(about, { minimum: 0, maximum: 100, default: byDefault })
  return {
    description:
      'RollSchedule makes a Roll at given times, as a CronJob makes Jobs, and none while an earlier Roll of it is under way. `kubectl get rollschedules` shows the last time and the next one, and with `-o wide` why no Roll was made.',
    type: 'object',
    required: ['spec'],
    properties: {
      apiVersion: text('The version of this format.'),
      kind: text('Always RollSchedule.'),
      metadata: { type: 'object', properties: { name: { type: 'string' } } },
      spec: object(
        'When a Roll is made, and what it does.',
        {
          schedule: text(
            'When a Roll is made, as in crontab: minute, hour, day of the month, month, day of the week. Names such as MON and JAN are known. Example: "0 22 * * MON-FRI".',
          ),
          timeZone: text('The time zone of `schedule`, by its IANA name. Example: Europe/Berlin.', {
            default: timeZone,
          }),
          startingDeadline: text(
            'How late a Roll may be made, such as 30min or 2h: when the controller was away, or an earlier Roll was under way. A time that is missed for longer makes no Roll.',
            { default: startingDeadline },
          ),
          when: choice(
            'With `RebootRequired`, a Roll is made only while at least one Node says by its condition RebootRequired that it needs a reboot (docs/reboot-required.md). With `FleetLock`, a Roll is made for a node whose client asks (docs/fleetlock.md), and no `schedule` is given.',
            SCHEDULE_WHEN,
          ),
          suspend: flag('No Roll is made while it is true. A Roll that is under way goes on.'),
          successfulRollsHistoryLimit: limit('How many Rolls that succeeded are kept.', succeeded),
          failedRollsHistoryLimit: limit('How many other Rolls that have ended are kept.', others),
          template: object(
            'The Rolls that it makes. A change is for later Rolls; one that is under way goes on as it began.',
            { spec: rollSpec('The spec of each Roll.') },
            { required: ['spec'] },
          ),
        },
        { required: ['template'] },
      ),
      status: object('What became of it. Written by the controller.', {
        observedGeneration: integer('The generation that the status is about.', { format: 'int64' }),
        active: list('Rolls that are under way.', text('The name of a Roll.')),
        lastScheduleTime: time('The last time of the schedule that a Roll was made for, or that made none.'),
        lastSuccessfulTime: time('When a Roll of it succeeded last.'),
        nextScheduleTime: time('When the next Roll is due.'),
        conditions,
      }),
    },
    rules: SCHEDULE_RULES,
  }
}

/** The CustomResourceDefinition of RollSchedules. */
export const scheduleCrd = () =>
  crdOf(
    { plural: 'rollschedules', singular: 'rollschedule', kind: 'RollSchedule', listKind: 'RollScheduleList' },
    [
      column('Schedule', '.spec.schedule'),
      column('Zone', '.spec.timeZone'),
      column('When', '.spec.when'),
      column('Suspend', '.spec.suspend', 'boolean'),
      column('Last', '.status.lastScheduleTime', 'date'),
      column('Next', '.status.nextScheduleTime'),
      column('Age', '.metadata.creationTimestamp', 'date'),
      wide(column('Message', '.status.conditions[?(@.type=="Ready")].message', 'string')),
    ],
    scheduleSchema(),
  )

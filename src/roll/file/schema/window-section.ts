import { z } from 'zod'
import { cronFault, durationFaultOf, zoneFault } from '../cron-times.ts'
import { durationField } from './duration-field.ts'
import { fieldMeta, section } from './section.ts'

const cronField = z
  .string()
  .max(200)
  .superRefine((text, context) => {
    const fault = cronFault(text)
    if (fault === undefined) return
    const { message, hint, fix } = fault
    context.addIssue({ code: 'custom', message, params: { code: 'config.cron', hint, fix } })
  })
  .meta(
    fieldMeta('cron', {
      description:
        'When it begins, as in crontab: minute, hour, day of the month, month, day of the week. If both days are given, either is enough, unless one of both fields begins with `*`. `6#1` is the first Saturday of a month, `FRI#L` its last Friday, and `L` its last day.',
      example: '0 22 * * MON-FRI',
    }),
  )

const zoneField = (description: string, fixOf: (zone: string) => string) =>
  z
    .string()
    .max(64)
    .superRefine((zone, context) => {
      const fault = zoneFault(zone)
      if (fault === undefined) return
      const { message, hint, fix } = fault
      context.addIssue({ code: 'custom', message, params: { code: 'config.zone', hint, fix: fixOf(fix) } })
    })
    .meta(fieldMeta('time zone', { description, example: 'Europe/Berlin' }))

const zoneFix = (zone: string): string => `zone: ${zone}`

const recurring = (description: string) =>
  section(
    {
      cron: cronField,
      duration: durationField({
        description:
          'How long it lasts, in elapsed time: in a night in which the clock changes it ends an hour earlier or later by the clock.',
        from: '10min',
        to: '744h',
        example: '6h',
      }),
      zone: zoneField('The time zone of this expression. Absent: `window.zone`.', zoneFix).exactOptional(),
    },
    description,
  ).superRefine(({ cron, duration }, context) => {
    // Runs also where the expression is wrong, and gives no times then.
    const fault = cronFault(cron) === undefined ? durationFaultOf(cron, duration) : undefined
    if (fault === undefined) return
    const { message, hint, fix } = fault
    context.addIssue({ code: 'custom', message, path: ['duration'], params: { code: 'config.window', hint, fix } })
  })

export const windowSection = section(
  {
    zone: zoneField(
      'The time zone of the expressions, by its IANA name. Plan and progress show times in it and in UTC.',
      zoneFix,
    ),
    open: z
      .array(recurring('One time window.'))
      .min(1)
      .meta(
        fieldMeta('list', {
          description: 'When work is allowed. Windows that overlap or touch are one.',
          example: [{ cron: '0 22 * * MON-FRI', duration: '6h' }],
        }),
      ),
    not: z
      .array(recurring('One time without work.'))
      .meta(
        fieldMeta('list', {
          description: 'When no work is allowed, whatever `open` says: a freeze.',
          example: [{ cron: '0 0 24 12 *', duration: '72h' }],
        }),
      )
      .prefault([]),
    onClose: z
      .enum(['restore', 'finish'])
      .meta(
        fieldMeta('word', {
          description:
            'What happens to the current node if the window closes before the reboot of the node is announced. `restore` puts the node back and begins it again in the next window. `finish` goes on with it. After the announcement, the roll always finishes the node.',
          example: 'finish',
        }),
      )
      .prefault('restore'),
    waitLimit: durationField({
      description:
        'How long the roll waits for the next window. After that it ends held (exit 3), and `evenkeel roll resume` goes on; with `0s` it does not wait at all, which is right for a Job or CronJob. Absent: it waits without a limit.',
      from: '0s',
      to: '8760h',
    }).exactOptional(),
  },
  'When work is allowed. Absent: always.',
)

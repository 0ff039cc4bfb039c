import { z } from 'zod'
import { HOOK_MOMENTS } from '../../model/step-hook.ts'
import { appliesToField } from './applies-to-field.ts'
import { uniqueBy } from './cross-rules.ts'
import { durationField } from './duration-field.ts'
import { argumentsField } from './question-fields.ts'
import { fieldMeta, section } from './section.ts'
import { nameField } from './text-field.ts'

const hook = section(
  {
    name: nameField({ description: 'Name of the hook, in progress and reports.', example: 'noout' }),
    at: z.enum(HOOK_MOMENTS).meta(
      fieldMeta('word', {
        description:
          'When it runs: `beforeNode`, before a node is cordoned; `beforeReboot`, before the reboot of the drained node is announced; ' +
          '`afterReboot`, after the proof of the reboot; `beforeAttach`, before the node is put back into its balancers; ' +
          '`afterNode`, once it is in service again and has soaked; `afterRoll`, once at the end of the roll. For a machine of `hosts`, ' +
          '`beforeNode` is before it gives its addresses away, and `beforeAttach` before it takes them back.',
        example: 'beforeReboot',
      }),
    ),
    appliesTo: appliesToField,
    run: argumentsField({
      description:
        'The command, as a list of arguments without a shell, run on this machine. `{node}` and `{address}` stand for the node. ' +
        'It may run more than once for a node: after a crash it is run again.',
      example: ['ceph', 'osd', 'set', 'noout'],
    }),
    undo: argumentsField({
      description:
        'The command that reverts `run`. It runs once the node is in service again or was restored, and at the end of a roll that leaves the node out.',
      example: ['ceph', 'osd', 'unset', 'noout'],
    }).exactOptional(),
    timeout: durationField({
      description: 'How long it may take. Then it is killed and has failed.',
      from: '1s',
      to: '1h',
    }).prefault('1min'),
    onFailure: z
      .enum(['stop', 'hold', 'ignore'])
      .meta(
        fieldMeta('word', {
          description:
            'What a failure leads to. `stop` stops the roll: before the reboot is announced the node is restored, after it the node goes on ' +
            'to its proof and back, and the next node is not begun. `hold` runs it again until `limit`, then stops. `ignore` only warns.',
          example: 'hold',
        }),
      )
      .prefault('stop'),
    limit: durationField({
      description: 'With `onFailure: hold`, how long it is run again.',
      from: '1s',
      to: '24h',
    }).prefault('10min'),
  },
  'One command at one step.',
).superRefine(
  (value, context) => {
    if (value?.at === 'afterRoll' && value.appliesTo !== undefined) {
      const params = { code: 'config.choice', fix: 'remove appliesTo', at: 'key' }
      const message = 'a hook of afterRoll runs once for the roll, not for nodes or machines'
      context.addIssue({ code: 'custom', message, path: ['appliesTo'], params })
    }
    const isLate = value?.at === 'afterNode' || value?.at === 'afterRoll'
    if (!isLate || value.undo === undefined) return
    const params = { code: 'config.choice', fix: 'remove undo, or choose an earlier step', at: 'key' }
    context.addIssue({ code: 'custom', message: `a hook of ${value.at} has no undo`, path: ['undo'], params })
  },
  { when: () => true },
)

export const hooksField = z
  .array(hook)
  .min(1)
  .max(32)
  .superRefine(uniqueBy('name'), { when: () => true })
  .meta(
    fieldMeta('list', {
      description:
        'Commands of your own at steps of the roll. Those of one step run one after the other, in this order.',
    }),
  )

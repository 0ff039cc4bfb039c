import { z } from 'zod'
import { REBOOT_CONDITION } from '../../../ground/model/reboot-condition.ts'
import { wholeNumberField } from './number-field.ts'
import { onlyPlaceholders } from './placeholders.ts'
import { fieldMeta, section } from './section.ts'
import { textField } from './text-field.ts'

const versionField = (what: string, example: string) =>
  textField({
    title: 'text',
    pattern: /^[^\u0000-\u001f\u007f]+$/,
    rule: 'one line',
    description: `The ${what} that the Node should show. A node that shows another one needs a reboot.`,
    example,
  })

/** The highest exit code of a command itself: a shell uses 126 and 127, and 128 and more is a signal. */
const EXIT_CODE_MAX = 125

export const onlyIfNeededSection = section(
  {
    sentinel: textField({
      title: 'path',
      pattern: /^\/[^\u0000-\u001f\u007f]*[^/\u0000-\u001f\u007f]$/,
      rule: 'the absolute path of a file',
      maxLength: 1024,
      description:
        'A file that exists on the machine if a reboot is needed. The plan shows the packages that `<file>.pkgs` lists. The default for an empty section is `/var/run/reboot-required`. By ssh only.',
      example: '/var/run/reboot-required',
    }).exactOptional(),
    command: z
      .array(
        z
          .string()
          .max(4096)
          .regex(/^[^\u0000]*$/, 'text without NUL')
          .meta({ title: 'argument' }),
      )
      .min(1)
      .superRefine(onlyPlaceholders())
      .meta(
        fieldMeta('list', {
          description:
            'A command whose exit code says whether a reboot is needed, as a list of arguments. It runs on the machine, as the user of ssh, without a shell. By ssh only.',
          example: ['needs-restarting', '-r'],
        }),
      )
      .exactOptional(),
    neededExitCode: wholeNumberField(
      {
        description:
          'Required with `command`: the exit code that means that a reboot is needed. Exit code 0 (or 1, if this is 0) means that none is needed. With any other code the plan fails.',
        example: 1,
      },
      { from: 0, to: EXIT_CODE_MAX },
    ).exactOptional(),
    condition: z
      .enum([REBOOT_CONDITION])
      .meta(
        fieldMeta('word', {
          description:
            'A condition of the Node that says whether the machine needs a reboot: `RebootRequired`, which `evenkeel-rebooter` writes on each node. It needs no ssh.',
          example: REBOOT_CONDITION,
        }),
      )
      .exactOptional(),
    kernelVersion: versionField('kernel version', '6.1.0-30-amd64').exactOptional(),
    kubeletVersion: versionField('version of the kubelet', 'v1.35.4').exactOptional(),
    osImage: versionField('OS image', 'Debian GNU/Linux 13 (trixie)').exactOptional(),
  },
  'Roll only nodes that need a reboot. Each field is a check. A node is rolled if at least one check says that it needs a reboot. `sentinel` and `command` also decide about machines of `hosts`.',
)

type Context = z.core.$RefinementCtx<unknown>

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** For the section `reboot`: whether the ways in `onlyIfNeeded` can be asked. Assumes nothing about the value. */
export function askableNeed(reboot: unknown, context: Context): void {
  const need = isRecord(reboot) ? reboot.onlyIfNeeded : undefined
  if (!isRecord(reboot) || !isRecord(need)) return
  const issue = (field: readonly string[], message: string, fix: string): void =>
    context.addIssue({
      code: 'custom',
      message,
      path: ['onlyIfNeeded', ...field],
      params: { code: 'config.need', fix, at: 'key' },
    })
  if ('command' in need && !('neededExitCode' in need)) {
    issue(['command'], 'which exit code means that a reboot is needed is not said', 'neededExitCode: 1')
  }
  if ('neededExitCode' in need && !('command' in need)) {
    issue(['neededExitCode'], 'there is no command that could end with that code', "command: [needs-restarting, '-r']")
  }
  const by = ['command', 'rebooter', 'fleetLock'].find((name) => name in reboot)
  if (by === undefined) return
  const fix = 'name condition, kernelVersion, kubeletVersion or osImage; or reboot by ssh'
  const ways = ['sentinel', 'command'].filter((name) => name in need)
  for (const way of ways) issue([way], `"${way}" needs ssh, and reboot.${by} does not ask machines`, fix)
  if (Object.keys(need).length === 0 && by === 'command') {
    issue([], 'a file on the machine can be looked for by ssh only, and reboot.command does not ask machines', fix)
  }
}

import { z } from 'zod'
import { atMostOneOf } from './cross-rules.ts'
import { durationField } from './duration-field.ts'
import { askableNeed, onlyIfNeededSection } from './only-if-needed-section.ts'
import { onlyPlaceholders } from './placeholders.ts'
import { fieldMeta, section } from './section.ts'
import { textField } from './text-field.ts'

/** The default command for a reboot. */
export const REBOOT_COMMAND: readonly string[] = ['sudo', '-n', 'systemctl', 'reboot']

const argument = z
  .string()
  .max(4096)
  .regex(/^[^\u0000]*$/, 'text without NUL')
  .meta({ title: 'argument' })

const viaSsh = section(
  {
    configFile: textField({
      title: 'path',
      pattern: /^[^\u0000-\u001f\u007f]+$/,
      rule: 'a path',
      maxLength: 4096,
      description: 'Configuration of ssh instead of your own (`ssh -F`).',
      example: '/etc/evenkeel/ssh_config',
    }).exactOptional(),
    user: textField({
      title: 'user name',
      pattern: /^[A-Za-z_][A-Za-z0-9._-]*\$?$/,
      rule: 'a user name',
      maxLength: 64,
      description: 'User to log in as. By default, the user of your ssh configuration.',
      example: 'ops',
    }).exactOptional(),
    command: z
      .array(argument)
      .min(1)
      .superRefine(onlyPlaceholders())
      .meta(
        fieldMeta('list', {
          description:
            'The command that reboots the machine, as a list of arguments. It is sent only while the boot id is the recorded one.',
          example: ['systemctl', 'reboot'],
        }),
      )
      .prefault([...REBOOT_COMMAND]),
  },
  'Reboot by the system `ssh`, with your own ssh configuration.',
)

const ownCommand = z
  .array(argument)
  .min(1)
  .superRefine((command, context) => {
    if (command.some((text) => text.includes('{bootId}'))) return
    const params = {
      code: 'config.placeholder',
      hint: 'no argument holds {bootId}',
      fix: 'pass "{bootId}" and compare it on the machine',
    }
    context.addIssue({ code: 'custom', message: 'the command cannot check the boot id', params })
  })
  .superRefine(onlyPlaceholders('node', 'address', 'bootId'))
  .meta(
    fieldMeta('list', {
      description:
        'Your own command, which runs on this machine without a shell. `{node}`, `{address}` and `{bootId}` are replaced ' +
        'in each argument. It must act only while the machine has that boot id.',
      example: ['/usr/local/bin/power-cycle', '{node}', '{bootId}'],
    }),
  )

const viaRebooter = section(
  {},
  'Ask the rebooter that runs on the node (`docs/rebooter.md`): no ssh, no key, no command.',
)

const byFleetLock = section(
  {},
  'Nothing is sent: a client on the machine, such as Zincati, reboots it once the controller has answered it by FleetLock (`docs/fleetlock.md`).',
)

const kubeName = (text: { readonly description: string; readonly example: string }) =>
  textField({
    ...text,
    title: 'name',
    pattern: /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/,
    rule: 'lower-case letters, digits, "-" and "."',
  })

const kuredLockSection = section(
  {
    namespace: kubeName({ description: 'Namespace of kured.', example: 'kube-system' }).prefault('kube-system'),
    daemonSet: kubeName({ description: 'DaemonSet of kured.', example: 'kured' }).prefault('kured'),
  },
  'Take the lock of kured before the first node or machine and keep it until the roll ends, so that kured reboots no node meanwhile. While nothing is out, the roll gives it back during a wait for a time window or a gate. Without this section the roll only waits while kured holds the lock. It takes the rights of `deploy/roll-kured-rbac.yaml`.',
)

export const rebootSection = section(
  {
    ssh: viaSsh.exactOptional(),
    command: ownCommand.exactOptional(),
    rebooter: viaRebooter.exactOptional(),
    fleetLock: byFleetLock.exactOptional(),
    resendAfter: durationField({
      description:
        'How long to wait for a new boot id before the command is sent again, if it is unknown whether it arrived. It is then sent again after half of `returnLimit` at the latest. A command for which no connection came about is repeated every 5 s.',
      from: '10s',
      to: '24h',
    }).prefault('2min'),
    returnLimit: durationField({
      description:
        'How long a machine may take from the command to the proof that it is back. Also how long an announced reboot may be held up before the command is sent. After that the roll stops and the node stays out.',
      from: '10s',
      to: '24h',
    }).prefault('15min'),
    onlyIfNeeded: onlyIfNeededSection.exactOptional(),
    kuredLock: kuredLockSection.exactOptional(),
  },
  'How a node is rebooted: by `ssh` (the default), by `command`, by the `rebooter` on the node, or by a client that asks by `fleetLock`.',
)
  .superRefine(atMostOneOf(['ssh', 'command', 'rebooter', 'fleetLock']), { when: () => true })
  .superRefine(askableNeed, { when: () => true })

import { z } from 'zod'
import { uniqueBy } from './cross-rules.ts'
import { durationField } from './duration-field.ts'
import { holdsOnHost, knownMachines, movesSomehow } from './hosts-rules.ts'
import { wholeNumberField } from './number-field.ts'
import { argumentsField } from './question-fields.ts'
import { fieldMeta, section } from './section.ts'
import { nameField, textField } from './text-field.ts'

const IP = z.union([z.ipv4(), z.ipv6()])

const machine = section(
  {
    name: nameField({ description: 'Name of the machine in plans, progress and reports.', example: 'lb-1' }),
    ssh: textField({
      title: 'host',
      pattern: /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/,
      rule: 'a host name in lower case',
      description: 'Host as `ssh` takes it; your own ssh configuration applies. By default, the name.',
      example: 'lb-1.example.com',
    }).exactOptional(),
    instances: z
      .array(nameField({ description: 'Name of an instance.', example: 'lb-1' }))
      .min(1)
      .superRefine(uniqueBy(), { when: () => true })
      .meta(
        fieldMeta('list', {
          description: 'Names of `balancers[].instances` that run on this machine.',
          example: ['lb-1'],
        }),
      ),
  },
  'One machine of a pair.',
)

const trackFile = section(
  {
    path: textField({
      title: 'path',
      pattern: /^\/[^\u0000-\u001f\u007f]*$/,
      rule: 'an absolute path',
      maxLength: 4096,
      description: 'File of a `track_file` of keepalived.',
      example: '/run/keepalived/evenkeel',
    }),
    away: wholeNumberField(
      {
        description:
          'What is written to move the addresses away. With weight 0, any number but 0 makes keepalived give them up at once. Otherwise keepalived multiplies it by the weight and adds that to the priority.',
        example: 1,
      },
      { from: -254, to: 254 },
    ),
    back: wholeNumberField(
      { description: 'What is written to take that back.', example: 0 },
      { from: -254, to: 254 },
    ).prefault(0),
  },
  'A track file of keepalived, written on the machine. If `reboot.ssh.command` begins with sudo, the file is written with `sudo -n` too.',
)

const holdConnections = section(
  {
    ports: z
      .array(wholeNumberField({ description: 'A port.', example: 443 }, { from: 1, to: 65_535 }))
      .min(1)
      .max(16)
      .superRefine(uniqueBy(), { when: () => true })
      .meta(fieldMeta('list', { description: 'TCP ports of the addresses.', example: [80, 443] })),
    limit: durationField({
      description:
        'How long connections that are under way may take to end before the addresses move. After that the move cuts them.',
      from: '0s',
      to: '30s',
    }).prefault('1s'),
  },
  'No new connections while the addresses leave the machine: `nft` drops the first packet of each, and clients send it again after a second, when the other machine has the address. Connections that are under way can end before the move. The machine needs `nft`, `ss` and `ip`.',
)

const pair = section(
  {
    name: nameField({ description: 'Name of the pair.', example: 'edge' }),
    addresses: z
      .array(
        z
          .string()
          .max(64)
          .superRefine((text, context) => {
            if (IP.safeParse(text).success) return
            const params = { code: 'config.address' }
            context.addIssue({ code: 'custom', message: `"${text}" is not an IP address`, params })
          })
          .meta(fieldMeta('address', { description: 'An address.', example: '10.0.0.100' })),
      )
      .min(1)
      .max(32)
      .superRefine(uniqueBy(), { when: () => true })
      .meta(
        fieldMeta('list', {
          description:
            'The virtual addresses. Each must be on exactly one machine of the pair, as `ip addr` shows it there.',
          example: ['10.0.0.100'],
        }),
      ),
    machines: z
      .array(machine)
      .min(2)
      .max(8)
      .meta(
        fieldMeta('list', { description: 'The machines that stand in for each other; they are taken in this order.' }),
      ),
    trackFile: trackFile.exactOptional(),
    moveAway: argumentsField(
      {
        description:
          'Command that makes the machine give its addresses to another one, as a list of arguments without a shell. It must have the same result if it runs again.',
        example: ['sudo', '-n', 'systemctl', 'stop', 'keepalived'],
      },
      ['host', 'ssh'],
    ).exactOptional(),
    moveBack: argumentsField(
      {
        description: 'Command that takes that back, likewise. It also runs after the reboot.',
        example: ['sudo', '-n', 'systemctl', 'start', 'keepalived'],
      },
      ['host', 'ssh'],
    ).exactOptional(),
    runs: z
      .enum(['onHost', 'here'])
      .meta(
        fieldMeta('word', {
          description:
            'Where both commands run: on the machine, by ssh (`onHost`), or on the machine of the roll (`here`), with `{host}` and `{ssh}` replaced in each argument.',
          example: 'here',
        }),
      )
      .prefault('onHost'),
    holdConnections: holdConnections.exactOptional(),
    commandTimeout: durationField({
      description: 'How long each command may take. After that it has failed, and is run again.',
      from: '1s',
      to: '5min',
    }).prefault('15s'),
    moveLimit: durationField({
      description:
        'How long it may take until the addresses are on another machine. After that the machine takes them back, and the roll ends with exit 3.',
      from: '1s',
      to: '10min',
    }).prefault('15s'),
    connectionsLimit: durationField({
      description:
        'How long the roll waits for connections of clients to the frontends of the machine. After that they end with the reboot.',
      from: '0s',
      to: '24h',
    }).prefault('1min'),
  },
  'Machines that stand in for each other by one or more virtual addresses.',
)
  .superRefine(movesSomehow, { when: () => true })
  .superRefine(holdsOnHost, { when: () => true })

export const hostsSection = section(
  {
    order: z
      .enum(['first', 'last'])
      .meta(fieldMeta('word', { description: 'Before all nodes, or after them.', example: 'first' }))
      .prefault('last'),
    pairs: z
      .array(pair)
      .min(1)
      .max(32)
      .superRefine(uniqueBy('name'), { when: () => true })
      .superRefine(knownMachines, { when: () => true })
      .meta(fieldMeta('list', { description: 'The pairs, in the order in which they are rolled.' })),
  },
  'Machines of the load balancers, which are no Kubernetes nodes and are rebooted in the same roll, one at a time.',
)

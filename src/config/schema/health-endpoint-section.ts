import { z } from 'zod'
import { uniqueBy } from './cross-rules.ts'
import { durationField } from './duration-field.ts'
import { wholeNumberField } from './number-field.ts'
import { fieldMeta, section } from './section.ts'
import { switchField } from './switch-field.ts'

const portField = (description: string, example: number) =>
  wholeNumberField({ description, example }, { from: 1, to: 65_535 })

const countField = (description: string) => wholeNumberField({ description }, { from: 1, to: 100 })

const checks = section(
  {
    interval: durationField({
      description: 'The longest time between two checks of a server that is up (HAProxy: `inter`).',
      from: '100ms',
      to: '10min',
    }).prefault('2s'),
    fastInterval: durationField({
      description: 'Between checks of a server that begins to fail or to pass (`fastinter`); by default `interval`.',
      from: '100ms',
      to: '10min',
      example: '500ms',
    }).exactOptional(),
    downInterval: durationField({
      description: 'Between checks of a server that is down (`downinter`); by default `interval`.',
      from: '100ms',
      to: '10min',
      example: '5s',
    }).exactOptional(),
    fall: countField('How many checks in a row must fail until a node is left.').prefault(3),
    rise: countField('How many checks in a row must pass until a node is sent to again.').prefault(2),
    drainsAtOnce: switchField(
      'One answer is enough to leave: `http-check disable-on-404` with the agent in that dialect, or agent-check.',
      false,
    ),
    slack: durationField({
      description: 'Waited on top of what follows from the checks, for clocks and networks.',
      from: '0s',
      to: '10min',
    }).prefault('2s'),
  },
  'How the load balancers check, the slowest of them.',
)

const IP = z.union([z.ipv4(), z.ipv6()])

const checker = section(
  {
    address: z
      .string()
      .max(64)
      .refine((text) => IP.safeParse(text).success, { message: 'an IP address', params: { code: 'config.address' } })
      .meta(
        fieldMeta('address', { description: 'Where the checks come from, as the agent sees it.', example: '10.0.0.5' }),
      ),
    count: countField('Checkers behind it: backends times processes.').prefault(1),
  },
  'One source of checks.',
)

export const healthEndpointSection = section(
  {
    agentPort: portField('Where the agent of each node serves `/healthz` (its `--status-port`).', 8081).prefault(8081),
    dataPort: portField('Where the nodes serve what the load balancers send them.', 443),
    checks: checks.prefault({}),
    checkers: z
      .array(checker)
      .superRefine(uniqueBy('address'), { when: () => true })
      .meta(
        fieldMeta('list', {
          description:
            'Every source of checks that sends traffic: then a wait ends once all were refused often enough. Without them it lasts as long as the slowest may take.',
        }),
      )
      .prefault([]),
  },
  'Load balancers that have nothing but a health check: the agents of the nodes (docs/agent.md) answer it.',
)

import { z } from 'zod'
import { canonicalAddress } from '../../../ground/model/ip-address.ts'
import { present } from '../../../ground/model/present.ts'
import type { EndpointChecks } from '../../../service/model/health-endpoint.ts'
import { balancerWay } from './balancer-way.ts'
import { uniqueBy } from './cross-rules.ts'
import { durationField } from './duration-field.ts'
import { wholeNumberField } from './number-field.ts'
import { fieldMeta, section } from './section.ts'
import { switchField } from './switch-field.ts'

const portField = (description: string, example: number) =>
  wholeNumberField({ description, example }, { from: 1, to: 65_535 })

const countField = (description: string) => wholeNumberField({ description }, { from: 1, to: 100 })

export const checksSection = section(
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
    fall: countField('How many checks in a row must fail before a balancer stops sending to a node.').prefault(3),
    rise: countField('How many checks in a row must pass before a balancer sends to a node again.').prefault(2),
    drainsAtOnce: switchField(
      'One answer is enough for a balancer to stop sending: `http-check disable-on-404` with the agent in that dialect, or agent-check.',
      false,
    ),
    slack: durationField({
      description: 'Extra wait on top of the time that the checks take, for clocks and networks.',
      from: '0s',
      to: '10min',
    }).prefault('2s'),
  },
  'How the slowest of the load balancers checks.',
)

const IP = z.union([z.ipv4(), z.ipv6()])

const checker = section(
  {
    address: z
      .string()
      .max(64)
      .refine((text) => IP.safeParse(text).success, { message: 'an IP address', params: { code: 'config.address' } })
      .meta(
        fieldMeta('address', {
          description: 'Source address of the checks, as the agent sees it.',
          example: '10.0.0.5',
        }),
      ),
    count: countField('Number of checkers at that address: backends times processes.').prefault(1),
  },
  'One source of checks.',
)

const healthEndpointSection = section(
  {
    agentPort: portField('Port where the agent of each node serves `/healthz` (its `--status-port`).', 8081).prefault(
      8081,
    ),
    dataPort: portField('Port where the nodes serve the traffic of the load balancers.', 443),
    checks: checksSection.prefault({}),
    checkers: z
      .array(checker)
      .superRefine(uniqueBy('address'), { when: () => true })
      .meta(
        fieldMeta('list', {
          description:
            'Every source of checks that sends traffic. With this list, a wait ends once each source was refused often enough. Without it, a wait lasts as long as the slowest checks can take.',
        }),
      )
      .prefault([]),
  },
  'Load balancers that know a node only by a health check. The agents of the nodes (docs/agent.md) answer it.',
)

export const healthEndpoint = balancerWay({
  section: healthEndpointSection,
  instead: 'the roll queries the agents of the nodes, and no balancer',
  viaOf: ({ agentPort, dataPort, checks, checkers }) => ({
    kind: 'agent',
    agentPort,
    dataPort,
    checks: checksOf(checks),
    checkers: Object.fromEntries(checkers.map(({ address, count }) => [canonicalAddress(address), count])),
  }),
})

export function checksOf(written: z.output<typeof checksSection>): EndpointChecks {
  const { interval, fastInterval, downInterval, slack, ...same } = written
  return {
    intervalMs: interval,
    ...present({ fastIntervalMs: fastInterval, downIntervalMs: downInterval }),
    ...same,
    slackMs: slack,
  }
}

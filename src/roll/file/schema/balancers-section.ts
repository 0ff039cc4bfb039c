import { z } from 'zod'
import type { BalancerSpec, BalancerVia } from '../../../service/model/balancer-spec.ts'
import { annotation } from './annotation-section.ts'
import type { BalancerWay } from './balancer-way.ts'
import { commands } from './commands-section.ts'
import { differentAddresses, uniqueBy, uniqueInstances } from './cross-rules.ts'
import { backendField, instanceOf, instanceSection } from './haproxy-fields.ts'
import { healthCheck } from './health-check-section.ts'
import { healthEndpoint } from './health-endpoint-section.ts'
import { oneValuePerMark } from './node-mark-rules.ts'
import { fieldMeta, section } from './section.ts'
import { socketOrWay } from './socket-or-way.ts'
import { switchField } from './switch-field.ts'
import { nameField } from './text-field.ts'

/** Each way to reach a balancer that is no HAProxy, by its field. */
const WAYS = { healthEndpoint, healthCheck, annotation, commands }
type Field = keyof typeof WAYS
const FIELDS = Object.keys(WAYS) as readonly Field[]

const balancer = section(
  {
    name: nameField({ description: 'Name of this balancer.', example: 'edge' }),
    instances: z
      .array(instanceSection)
      .min(1)
      .superRefine(differentAddresses, { when: () => true })
      .meta(
        fieldMeta('list', {
          description: 'Every process that carries the traffic; for a pair, both.',
          example: [{ name: 'lb-1', socket: '/run/haproxy/admin.sock' }],
        }),
      )
      .exactOptional(),
    backends: z
      .array(backendField)
      .min(1)
      .superRefine(uniqueBy(), { when: () => true })
      .meta(
        fieldMeta('list', {
          description: 'The only backends whose servers are ever touched. Servers are matched to nodes by address.',
          example: ['web'],
        }),
      )
      .exactOptional(),
    ...sectionsOf(WAYS),
    allowLastServer: switchField(
      'Take a node out even if it is the last usable server of a backend (pools of one node).',
      false,
    ),
  },
  'One balancer: one or more instances with the same backends; all balancers that check the health endpoint of the nodes, which agents answer, or a mark on the Node decides; the balancers that a detacher manages; or a balancer that commands of yours manage.',
).superRefine(socketOrWay(WAYS), { when: () => true })

export const balancersSection = z
  .array(balancer)
  .superRefine(uniqueBy('name'), { when: () => true })
  .superRefine(uniqueInstances, { when: () => true })
  .superRefine(oneValuePerMark, { when: () => true })
  .meta(fieldMeta('list', { description: 'The load balancers that send traffic to the nodes.' }))
  .prefault([])

/** The sections of these ways, each of which may be left out. */
function sectionsOf<Ways extends Readonly<Record<string, { readonly section: z.ZodType }>>>(ways: Ways) {
  const sections = Object.entries(ways).map(([field, { section: own }]) => [field, own.exactOptional()])
  return Object.fromEntries(sections) as { readonly [Each in keyof Ways]: z.ZodExactOptional<Ways[Each]['section']> }
}

/** The name of the only backend of a balancer without named backends. It has every node. */
const ALL_NODES = 'nodes'

/** A valid entry of `balancers` in the form of the engine. */
export function balancerOf(written: z.output<typeof balancer>): BalancerSpec {
  const { name, allowLastServer, instances = [], backends = [] } = written
  const same = { name, allowLastServer }
  const via = FIELDS.map((field) => viaOf(field, written)).find((found) => found !== undefined)
  if (via !== undefined) return { ...same, instances: [name], backends: [ALL_NODES], via } as BalancerSpec
  const own = instances.map(instanceOf)
  return { ...same, instances: own.map((one) => one.name), backends, via: { kind: 'haproxy', instances: own } }
}

function viaOf<Each extends Field>(
  field: Each,
  written: { readonly [Own in Each]?: Written<Own> },
): BalancerVia | undefined {
  const way: BalancerWay<(typeof WAYS)[Each]['section']> = WAYS[field]
  const value = written[field]
  return value === undefined ? undefined : way.viaOf(value)
}

type Written<Each extends Field> = z.output<(typeof WAYS)[Each]['section']>

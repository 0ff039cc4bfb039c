import { dnsMetrics } from '../../src/dns/run/dns-metrics.ts'
import type { LoopStatus } from '../../src/ground/loop/reconciler.ts'
import type { ControllerStatus } from './controller-status.ts'

/** Prometheus' text format 0.0.4. Nodes are no labels: in a fleet each would be a series. */
export function controllerMetrics({ leader, brake, dns, ...loops }: ControllerStatus): string {
  const waiting = brake.reasons.filter(({ code }) => code === 'CordonNotGranted').length
  const { grants, nodes, loop } = brake
  return [
    ...gauge('leader', 'Whether this process leads.', leader.state === 'leading' ? 1 : 0),
    ...loopLines([loop, ...[loops.ingress, loops.guard, loops.rolls, loops.schedules].flatMap((one) => one ?? [])]),
    ...gauge('brake_nodes', 'Nodes of the fleet.', nodes.known),
    ...gauge('brake_cordoned', 'Nodes of the fleet that are cordoned.', nodes.cordoned),
    ...gauge(
      'brake_nodes_unheard_seconds',
      'For how long the nodes could not be followed.',
      nodes.unheardForMs / 1_000,
    ),
    // A process that does not lead has no such values.
    ...(grants === undefined
      ? []
      : [
          ...gauge('brake_granted', 'Nodes that may be out by cordon.', grants.granted.length),
          ...gauge('brake_max', 'How many may be out at the same time.', grants.max),
          ...gauge('brake_waiting', 'Cordoned nodes that still serve because they have no grant.', waiting),
        ]),
    dns === undefined ? '' : dnsMetrics(dns.seen),
  ].join('\n')
}

/** One line a loop in each family. */
function loopLines(loops: readonly LoopStatus[]): readonly string[] {
  const each = (value: (loop: LoopStatus) => number): readonly string[] =>
    loops.map((loop) => `{loop="${loop.name}"} ${value(loop)}`)
  const family = (of: Omit<Family, 'rest'>, value: (loop: LoopStatus) => number): readonly string[] => {
    const [rest = '', ...more] = each(value)
    return [...lines({ ...of, rest }), ...more.map((other) => `evenkeel_controller_${of.name}${other}`)]
  }
  return [
    ...family({ name: 'queue_depth', help: 'Keys that wait.', type: 'gauge' }, ({ depth }) => depth),
    ...family(
      { name: 'queue_under_way', help: 'Keys that are being processed.', type: 'gauge' },
      ({ underWay }) => underWay,
    ),
    ...family(
      { name: 'pass_failures_total', help: 'Passes that failed.', type: 'counter' },
      ({ failures }) => failures,
    ),
    '# HELP evenkeel_controller_pass_seconds Duration of passes.',
    '# TYPE evenkeel_controller_pass_seconds summary',
    ...each(({ spentMs }) => spentMs / 1_000).map((rest) => `evenkeel_controller_pass_seconds_sum${rest}`),
    ...each(({ passes }) => passes).map((rest) => `evenkeel_controller_pass_seconds_count${rest}`),
  ]
}

const gauge = (name: string, help: string, value: number): readonly string[] =>
  lines({ name, help, type: 'gauge', rest: ` ${value}` })

interface Family {
  readonly name: string
  readonly help: string
  readonly type: 'gauge' | 'counter'
  /** Labels and value. */
  readonly rest: string
}

const lines = ({ name, help, type, rest }: Family): readonly string[] => [
  `# HELP evenkeel_controller_${name} ${help}`,
  `# TYPE evenkeel_controller_${name} ${type}`,
  `evenkeel_controller_${name}${rest}`,
]

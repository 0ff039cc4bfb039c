import { WHOAMI_PORT } from '../../../../src/sim/cluster/article-workloads.ts'
import { CONTROL_URL } from '../control-target.ts'
import { LB_VERBS } from '../roll-ports.ts'
import { AGENT_STATUS_PORT } from '../virtual-agent.ts'
import { REQUEST, STAMP } from '../virtual-detacher.ts'
import { HEALTH_PORT, MARK } from '../virtual-health-checks.ts'
import { type BalancerKind, PLAIN_WORLD, type WorldKind } from './world-kind.ts'

const FRONT_PORTS = { web: 18080, edge: 18081 } as const
/** Without a common divisor with those of the judge: see `run-seed.ts`. */
const RATES = [7, 5, 3]

/** What the roll file says of a world that is not the plain one. `drainsEdge`: requests to `edge` are never lost. */
export function worldSpec(world: WorldKind, drainsEdge: boolean): Readonly<Record<string, unknown>> {
  if (world === PLAIN_WORLD) return {}
  const named = world.balancers.filter(({ backends }) => backends.length > 0)
  const fronts = named.flatMap(({ instances, backends: [backend = 'web'] }) =>
    instances.filter(() => backend === 'web' || drainsEdge).map((instance) => ({ instance, backend })),
  )
  return {
    balancers: named.map(({ name, instances, backends, by }) =>
      by !== undefined
        ? { name, ...wayOf(by, world, instances) }
        : {
            name,
            instances: instances.map((instance) => ({ name: instance, socket: socketOf(instance) })),
            backends,
          },
    ),
    probes: [
      ...fronts.map(({ instance, backend }, i) => ({
        name: `${backend}-${instance}`,
        url: `http://127.0.0.${numberOf(instance)}:${FRONT_PORTS[backend]}/`,
        rate: RATES[i] ?? 3,
      })),
      ...(world.control === undefined ? [] : [{ name: 'control', url: CONTROL_URL, rate: 4, control: true }]),
    ],
  }
}

/** The field of a balancer that has no runtime API. */
function wayOf(
  by: NonNullable<BalancerKind['by']>,
  world: WorldKind,
  instances: readonly string[],
): Readonly<Record<string, unknown>> {
  switch (by) {
    case 'agents':
      return { healthEndpoint: healthEndpoint(world, instances) }
    case 'mark':
      return { healthCheck: { taint: MARK, check: { url: HEALTH_URL }, checks: CHECKS, dataPort: WHOAMI_PORT } }
    case 'detacher':
      return {
        annotation: { key: REQUEST, detachedKey: STAMP, dataPort: WHOAMI_PORT, grace: '3s', attachGrace: '3s' },
      }
    case 'commands':
      return {
        commands: {
          ...Object.fromEntries(LB_VERBS.map((verb) => [verb, ['lb', verb, instances[0], '{node}']])),
          dataPort: WHOAMI_PORT,
        },
      }
  }
}

const HEALTH_URL = `http://{address}:${HEALTH_PORT}/healthz`
/** As `balancerBefore` has it. */
const CHECKS = { interval: '1s', fall: 3, rise: 2, slack: '2s' }

const healthEndpoint = ({ agents }: WorldKind, instances: readonly string[]): Readonly<Record<string, unknown>> => ({
  agentPort: AGENT_STATUS_PORT,
  dataPort: WHOAMI_PORT,
  checks: CHECKS,
  ...(agents?.declaresCheckers === true
    ? { checkers: instances.map((instance) => ({ address: `127.0.0.${numberOf(instance)}`, count: 1 })) }
    : {}),
})

const numberOf = (instance: string): number => Number(instance.replace('lb-', ''))

const socketOf = (instance: string): string =>
  numberOf(instance) === 1 ? '/run/haproxy.sock' : `/run/haproxy-${numberOf(instance)}.sock`

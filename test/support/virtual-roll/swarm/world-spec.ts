import { CONTROL_URL } from '../control-target.ts'
import { PLAIN_WORLD, type WorldKind } from './world-kind.ts'

const FRONT_PORTS = { web: 18080, edge: 18081 } as const
/** Without a common divisor with those of the judge: see `run-seed.ts`. */
const RATES = [7, 5, 3]

/** What the roll file says of a world that is not the plain one. `drainsEdge`: requests to `edge` are never lost. */
export function worldSpec(world: WorldKind, drainsEdge: boolean): Readonly<Record<string, unknown>> {
  if (world === PLAIN_WORLD) return {}
  const fronts = world.balancers.flatMap(({ instances, backends: [backend = 'web'] }) =>
    instances.filter(() => backend === 'web' || drainsEdge).map((instance) => ({ instance, backend })),
  )
  return {
    balancers: world.balancers.map(({ name, instances, backends }) => ({
      name,
      instances: instances.map((instance) => ({ name: instance, socket: socketOf(instance) })),
      backends,
    })),
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

const numberOf = (instance: string): number => Number(instance.replace('lb-', ''))

const socketOf = (instance: string): string =>
  numberOf(instance) === 1 ? '/run/haproxy.sock' : `/run/haproxy-${numberOf(instance)}.sock`

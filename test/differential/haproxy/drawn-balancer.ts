import { present } from '../../../src/ground/model/present.ts'
import type { BackendConfig, BalancerConfig, ServerConfig } from '../../../src/sim/balancer/balancer-config.ts'
import type { SeededRandom } from '../../../src/sim/clocks/seeded-random.ts'

/** Where a server is in one of the two worlds. */
interface Place {
  readonly address: string
  readonly port: number
  readonly agentPort: number
}

/** Where everything is in one of the two worlds. */
interface Ground {
  readonly host: string
  frontPort(backend: string): number
  server(name: string): Place
}

/** A drawn balancer: the same one, wherever its servers are. */
export interface DrawnBalancer {
  readonly servers: readonly string[]
  readonly backends: readonly BackendConfig[]
}

const INTERVAL_MS = 100
/** Longer than a busy machine is late. */
const CHECK_TIMEOUT_MS = 1_000
/** Nothing ends by time while a sequence runs. */
const LONG_MS = 900_000
const NOWHERE = { address: '', port: 0 } as const

/** True once in so many draws. */
const oneIn = (random: SeededRandom, count: number): boolean => random.below(count) === 0

export function pick<T>(random: SeededRandom, values: readonly T[]): T {
  const value = values[random.below(values.length)]
  if (value === undefined) throw new Error('nothing to pick from')
  return value
}

export function drawBalancer(random: SeededRandom): DrawnBalancer {
  const servers = ['a', 'b', 'c', 'd'].slice(0, 2 + random.below(3))
  const isChecked = !oneIn(random, 4)
  const isLimited = oneIn(random, 3)
  const hasCookie = isLimited || oneIn(random, 3)
  const check = {
    path: '/readyz',
    interMs: INTERVAL_MS,
    timeoutMs: CHECK_TIMEOUT_MS,
    fall: 1 + random.below(3),
    rise: 1 + random.below(3),
  }
  const defaults: Partial<ServerConfig> = present({
    weight: oneIn(random, 3) ? 1 + random.below(4) : undefined,
    slowStartMs: oneIn(random, 5) ? 1_000 : undefined,
  })
  const web: BackendConfig = {
    name: 'web',
    ...(hasCookie ? { cookie: 'SRV' } : {}),
    ...(isChecked ? { check } : {}),
    servers: servers.map((name) => ({
      ...{ name, ...NOWHERE, ...defaults },
      ...drawServer(random),
      ...(hasCookie ? { cookie: name } : {}),
      ...(isLimited ? { maxConnections: 1 + random.below(2) } : {}),
    })),
  }
  // HAProxy refuses to track a server that nothing is asked of. What tracks a disabled one is an accepted difference.
  const asked = web.servers.filter(
    ({ agent, isUnchecked, isDisabled }) =>
      isDisabled !== true && (agent !== undefined || (isChecked && isUnchecked !== true)),
  )
  const follow: BackendConfig = {
    name: 'follow',
    servers: asked.map(({ name }) => ({ name, ...NOWHERE, ...drawTracker(random), track: `web/${name}` })),
  }
  return { servers, backends: asked.length > 0 && oneIn(random, 2) ? [web, follow] : [web] }
}

function drawServer(random: SeededRandom): Partial<ServerConfig> {
  const agent = oneIn(random, 4) ? { port: 0, interMs: INTERVAL_MS } : undefined
  return present({ ...drawTracker(random), agent, isUnchecked: oneIn(random, 8) ? true : undefined })
}

const drawTracker = (random: SeededRandom): Partial<ServerConfig> =>
  present({
    weight: oneIn(random, 3) ? random.below(5) : undefined,
    isBackup: oneIn(random, 5) ? true : undefined,
    isDisabled: oneIn(random, 10) ? true : undefined,
    slowStartMs: oneIn(random, 8) ? 1_000 * (1 + random.below(2)) : undefined,
  })

/** The file of that balancer in one of the two worlds. */
export function configIn({ backends }: DrawnBalancer, ground: Ground): BalancerConfig {
  return {
    host: ground.host,
    frontends: backends.map(({ name }) => ({ name: `front-${name}`, port: ground.frontPort(name), backend: name })),
    backends: backends.map((backend) => ({
      ...backend,
      servers: backend.servers.map((server) => {
        const { agentPort, ...place } = ground.server(server.name)
        const { agent } = server
        return { ...server, ...place, ...(agent === undefined ? {} : { agent: { ...agent, port: agentPort } }) }
      }),
    })),
    connectTimeoutMs: LONG_MS,
    clientTimeoutMs: LONG_MS,
    serverTimeoutMs: LONG_MS,
    queueTimeoutMs: LONG_MS,
  }
}

import type { ServerReading } from '../../../src/service/model/balancer.ts'
import type { BackendInspection, InstanceInspection } from '../../../src/service/model/balancer-inspection.ts'
import { aServer } from '../roll-world.ts'

/** One HAProxy as it tells of itself before a roll: backend web with a server for each of these nodes. */
export function inspection(
  servers: readonly string[],
  change: {
    readonly instance?: string
    readonly backend?: Partial<BackendInspection>
    readonly server?: (name: string) => Partial<ServerReading>
  } = {},
): InstanceInspection {
  const { instance = 'lb-1', backend = {}, server = () => ({}) } = change
  return {
    instance,
    process: '100',
    version: '3.0.1',
    level: 'admin',
    processes: 1,
    missingBackends: [],
    disabledBackends: [],
    backends: [
      {
        name: 'web',
        mode: 'http',
        stickTable: false,
        redispatch: 'unknown',
        ...backend,
        servers: servers.map((name) =>
          aServer(name, { ref: { instance, backend: 'web', server: name }, ...server(name) }),
        ),
      },
    ],
    outside: [],
  }
}

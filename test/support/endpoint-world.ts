import { formatClaims, MAINTENANCE_ANNOTATION } from '../../src/ground/model/claims.ts'
import { monoMs } from '../../src/ground/model/time.ts'
import type { RollSpec } from '../../src/roll/model/roll-spec.ts'
import type { Noticing } from '../../src/service/decide/evidence.ts'
import type { ServerReading } from '../../src/service/model/balancer.ts'
import type { EndpointReading, HealthEndpointSpec } from '../../src/service/model/health-endpoint.ts'
import type { NodeRecord } from '../../src/service/model/node-record.ts'
import { anInstance, aRecord, aServer, aSpec } from './roll-world.ts'

export const ENDPOINT: HealthEndpointSpec = {
  agentPort: 8081,
  dataPort: 443,
  checks: { intervalMs: 2_000, fall: 3, rise: 2, drainsAtOnce: false, slackMs: 2_000 },
  checkers: {},
}

/** `edge` is told by the nodes' agents. */
export const endpointSpec = (change: Partial<RollSpec> = {}): RollSpec =>
  aSpec({
    balancers: [
      {
        name: 'edge',
        instances: ['edge'],
        backends: ['nodes'],
        allowLastServer: false,
        via: { kind: 'agent', ...ENDPOINT },
      },
    ],
    detach: { idleLimitMs: 60_000 },
    ...change,
  })

export const REQUEST = formatClaims([{ owner: 'roll/run-1', id: 'a1', at: '2026-01-01T00:00:00.000Z' }])
export const ASKED = { annotations: { [MAINTENANCE_ANNOTATION]: REQUEST } }
export const KEY = 'nodes/n1 on edge'

/** A node as its agent tells of it; it serves unless told otherwise. */
export function anEndpoint(
  node: string,
  endpoint: Partial<EndpointReading> = {},
  change: Partial<ServerReading> = {},
): ServerReading {
  const reading: EndpointReading = {
    at: monoMs(Number.POSITIVE_INFINITY),
    heard: true,
    answer: 'up',
    onlyClosed: false,
    acknowledged: [],
    connections: 0,
    polls: {},
    ...endpoint,
  }
  return aServer(node, {
    ref: { instance: 'edge', backend: 'nodes', server: node },
    port: 443,
    operational: reading.heard ? ({ up: 'up', drain: 'stopping', down: 'down' } as const)[reading.answer] : 'down',
    totalSessions: 0,
    endpoint: reading,
    ...change,
  })
}

export const OTHERS = [anEndpoint('n2'), anEndpoint('n3')]

export const agents = (servers: readonly ServerReading[]) => [
  anInstance(servers, {
    instance: 'edge',
    backends: ['nodes'],
    reading: { instance: 'edge', process: 'agents', version: '', at: monoMs(1000), servers },
  }),
]

export const endpointRecord = (change: Partial<NodeRecord['servers'][number]> = {}): NodeRecord =>
  aRecord({
    servers: [
      {
        balancer: 'edge',
        instance: 'edge',
        backend: 'nodes',
        server: 'n1',
        address: '10.0.0.1',
        port: 443,
        state: 'ready',
        operational: 'up',
        ...change,
      },
    ],
  })

/** The wait is over since so long. */
export const noticedSince = (way: Noticing['way'], at: number) => ({
  noticing: { [KEY]: { way, since: monoMs(at), noticed: { by: 'time' as const, at: monoMs(at) } } },
})

export const confirmed = {
  detached: { [KEY]: { process: 'agents', since: monoMs(990_000), totalSessions: 0, strays: 0, cutSessions: 0 } },
}

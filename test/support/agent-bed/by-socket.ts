import { WHOAMI_PORT } from '../../../src/sim/cluster/article-workloads.ts'
import type { Bed } from '../../../testbed/bed.ts'
import { waitFor } from '../../../testbed/machine/wait-for.ts'
import { askSocket } from '../roll-bed/ask-socket.ts'
import { type ServerState, serversOf } from '../roll-ground/servers-of.ts'
import { frontOf } from './check-backends.ts'

type Haproxy = Awaited<ReturnType<Bed['haproxy']>>

/** The front of the balancer with the socket, beside the one that goes by the checks of the agents. */
export const FRONT_BY_SOCKET = 1

/** What a roll is given the socket of: its own servers, its own checks, and nothing of the agents. */
const config = (addresses: readonly string[]): string => `global
  stats socket @SOCKET@ mode 600 level admin
defaults
  mode http
  timeout connect 1s
  timeout client 30s
  timeout server 10s
  option httpchk GET /readyz
  default-server check inter 1s fall 2 rise 2
frontend by-socket
  bind ${new URL(frontOf(FRONT_BY_SOCKET)).host}
  default_backend web
backend web
${addresses.map((address, i) => `  server n${i + 1} ${address}:${WHOAMI_PORT}\n`).join('')}`

export const haproxyBySocket = (bed: Bed): Promise<Haproxy> =>
  bed.haproxy(config(bed.nodes.map((node) => bed.nodeAddress(node))), { name: `by-socket-${Date.now()}` })

export const statesOf = (lb: Haproxy): Promise<readonly ServerState[]> =>
  serversOf({ balancer: (line) => askSocket(lb.socket, line) })

/** Until HAProxy says so of its one server of the node. */
export async function untilUp(lb: Haproxy, node: string, wanted: boolean): Promise<void> {
  const what = `${node} to be ${wanted ? 'up' : 'down'} by the checks`
  await waitFor({ what, limitMs: 60_000, everyMs: 100 }, async () => {
    const server = (await statesOf(lb)).find(({ name }) => name.endsWith(`/${node}`))
    return server?.up === wanted ? true : undefined
  })
}

import { join } from 'node:path'
import { apiPort, hubAddress, nodeAddress } from '../../addresses.ts'
import { credentialsFolder } from '../credentials.ts'
import { Haproxy } from '../haproxy.ts'
import { controlPlaneNodes, type RackPlan } from '../plan.ts'

/** Its name among the bed's HAProxys. */
export const apiBalancer = 'api-balancer'

/**
 * Starts the balancer of a stacked control plane: it listens where the API server of other beds does. A server that is down
 * loses its connections at once. Otherwise a client would wait for events on a watch whose server is gone.
 */
export async function startApiBalancer(plan: RackPlan): Promise<void> {
  await new Haproxy(plan, apiBalancer).start(config(plan))
}

function config(plan: RackPlan): string {
  const servers = controlPlaneNodes(plan).map((node) => `  server ${node} ${nodeAddress(node)}:${apiPort}`)
  return `global
  maxconn 2000
  stats socket @SOCKET@ mode 600 level admin
defaults
  mode tcp
  timeout connect 1s
  timeout check 2s
  timeout client 1h
  timeout server 1h
  retries 3
  option redispatch 1
frontend api
  bind ${hubAddress}:${apiPort}
  default_backend servers
backend servers
  balance leastconn
  option httpchk GET /readyz
  http-check expect status 200
  default-server check check-ssl verify required ca-file ${join(credentialsFolder(plan.disk), 'ca.crt')} inter 1s fall 3 rise 2 on-marked-down shutdown-sessions
${servers.join('\n')}
`
}

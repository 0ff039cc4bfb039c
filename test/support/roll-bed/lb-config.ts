import { EDGE_PORT, WHOAMI_PORT } from '../../../src/sim/cluster/article-workloads.ts'

export const WHOAMI_FRONT = 'http://127.0.0.1:18080/'
export const EDGE_FRONT = 'http://127.0.0.1:18081/'

/** HAProxy as the article has it: checks at inter 2 s, fall 3, rise 2, no redispatch; one front for each service. */
export interface LbOptions {
  /**
   * A reload closes idle client connections at once, unless told otherwise (configuration.txt, `option
   * idle-close-on-response`), and a client that is just about to send on one loses that request, roll or no roll.
   */
  readonly reloadsKeepClients?: boolean
  /** A connection to a server ends with its request, while those of clients are kept. */
  readonly closesServers?: boolean
  /** Where the servers of `web` are reached; absent: at the NodePort. */
  readonly webPort?: number
}

export function lbConfig(
  addresses: readonly string[],
  { reloadsKeepClients = false, closesServers = false, webPort = WHOAMI_PORT }: LbOptions = {},
): string {
  const frontPort = 18080
  const servers = (port: number): string =>
    addresses.map((address, i) => `  server n${i + 1} ${address}:${port}`).join('\n')
  return `global
  maxconn 1000
  stats socket @SOCKET@ mode 600 level admin
defaults
  mode http
  timeout connect 1s
  timeout client 30s
  timeout server 10s
  option httpchk GET /readyz
${reloadsKeepClients ? '  option idle-close-on-response\n' : ''}${closesServers ? '  option http-server-close\n' : ''}  default-server check inter 2s fall 3 rise 2
frontend whoami
  bind 127.0.0.1:${frontPort}
  default_backend web
frontend edge
  bind 127.0.0.1:${frontPort + 1}
  default_backend edge
backend web
  balance roundrobin
${servers(webPort)}
backend edge
  balance roundrobin
${servers(EDGE_PORT)}
`
}

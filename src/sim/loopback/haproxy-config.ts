import type { BackendConfig, BalancerConfig, ServerConfig } from '../balancer/balancer-config.ts'

/** The haproxy.cfg of what is modelled. */
export const haproxyConfig = (config: BalancerConfig, socket: string): string =>
  `global\n  maxconn 1000\n  stats socket ${socket} mode 600 level admin\n${haproxySections(config)}`

/** All sections but the global one. */
export function haproxySections(config: BalancerConfig): string {
  const { host, frontends, backends, connectTimeoutMs, clientTimeoutMs, serverTimeoutMs, queueTimeoutMs } = config
  const lines = [
    'defaults',
    '  mode http',
    `  timeout connect ${connectTimeoutMs}ms`,
    `  timeout client ${clientTimeoutMs}ms`,
    `  timeout server ${serverTimeoutMs}ms`,
    ...(queueTimeoutMs === undefined ? [] : [`  timeout queue ${queueTimeoutMs}ms`]),
    ...frontends.flatMap(({ name, port, backend }) => [
      `frontend ${name}`,
      `  bind ${host}:${port}`,
      `  default_backend ${backend}`,
    ]),
    ...backends.flatMap(backendLines),
  ]
  return `${lines.join('\n')}\n`
}

function backendLines({ name, servers, check, cookie, closesServers }: BackendConfig): readonly string[] {
  const port = check?.port === undefined ? '' : ` port ${check.port}`
  const word = check === undefined ? '' : ` check${port} inter ${check.interMs}ms fall ${check.fall} rise ${check.rise}`
  return [
    `backend ${name}`,
    '  balance roundrobin',
    ...(closesServers === true ? ['  option http-server-close'] : []),
    ...(cookie === undefined ? [] : [`  cookie ${cookie} insert indirect nocache`]),
    ...(check === undefined ? [] : [`  option httpchk GET ${check.path}`]),
    ...(check?.timeoutMs === undefined ? [] : [`  timeout check ${check.timeoutMs}ms`]),
    ...servers.map((server) => serverLine(server, word)),
  ]
}

function serverLine(server: ServerConfig, checkWord: string): string {
  const { weight, cookie, track, isBackup, isDisabled, isUnchecked, slowStartMs, maxConnections, agent } = server
  const words = [
    ...(isUnchecked === true || track !== undefined ? [] : [checkWord]),
    weight === undefined ? '' : ` weight ${weight}`,
    cookie === undefined ? '' : ` cookie ${cookie}`,
    track === undefined ? '' : ` track ${track}`,
    isBackup === true ? ' backup' : '',
    isDisabled === true ? ' disabled' : '',
    slowStartMs === undefined ? '' : ` slowstart ${slowStartMs}ms`,
    maxConnections === undefined ? '' : ` maxconn ${maxConnections}`,
    agent === undefined ? '' : ` agent-check agent-port ${agent.port} agent-inter ${agent.interMs}ms`,
  ]
  return `  server ${server.name} ${server.address}:${server.port}${words.join('')}`
}

import type { BackendConfig, BalancerConfig } from '../balancer/balancer-config.ts'

/** The haproxy.cfg of what is modelled. */
export function haproxyConfig(config: BalancerConfig, socket: string): string {
  const { host, frontends, backends, connectTimeoutMs, clientTimeoutMs, serverTimeoutMs } = config
  const lines = [
    'global',
    '  maxconn 1000',
    `  stats socket ${socket} mode 600 level admin`,
    'defaults',
    '  mode http',
    `  timeout connect ${connectTimeoutMs}ms`,
    `  timeout client ${clientTimeoutMs}ms`,
    `  timeout server ${serverTimeoutMs}ms`,
    ...frontends.flatMap(({ name, port, backend }) => [
      `frontend ${name}`,
      `  bind ${host}:${port}`,
      `  default_backend ${backend}`,
    ]),
    ...backends.flatMap(backendLines),
  ]
  return `${lines.join('\n')}\n`
}

function backendLines({ name, servers, check }: BackendConfig): readonly string[] {
  const port = check?.port === undefined ? '' : ` port ${check.port}`
  const word = check === undefined ? '' : ` check${port} inter ${check.interMs}ms fall ${check.fall} rise ${check.rise}`
  return [
    `backend ${name}`,
    '  balance roundrobin',
    ...(check === undefined ? [] : [`  option httpchk GET ${check.path}`]),
    ...(check?.timeoutMs === undefined ? [] : [`  timeout check ${check.timeoutMs}ms`]),
    ...servers.map((server) => `  server ${server.name} ${server.address}:${server.port}${word}`),
  ]
}

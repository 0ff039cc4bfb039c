import type { Bed } from '../../../testbed/bed.ts'

/** Sockets of a HAProxy that has something wrong with each of its backends. */
export interface OddLb {
  readonly admin: string
  /** May read, and set nothing. */
  readonly operator: string
}

export async function startOddLb(bed: Bed): Promise<OddLb> {
  const { socket } = await bed.haproxy(configOf(bed.nodes.map((node) => bed.nodeAddress(node))), { name: 'odd' })
  return { admin: socket, operator: `${socket}.operator` }
}

/**
 * `guarded`: an agent has a say in n1. `others`: leads to every node but n1. `kube-apiserver`, `control`: the API by
 * name, and by port.
 */
function configOf(addresses: readonly string[]): string {
  const servers = (rest: string, skip = 0): string =>
    addresses.map((address, i) => (i < skip ? '' : `  server n${i + 1} ${address}:${rest}\n`)).join('')
  return `global
  maxconn 100
  stats socket @SOCKET@ mode 600 level admin
  stats socket @SOCKET@.operator mode 600 level operator
defaults
  mode http
  timeout connect 1s
  timeout client 30s
  timeout server 10s
  option httpchk GET /readyz
  default-server check inter 2s
frontend odd
  bind 127.0.0.1:18090
  default_backend web
backend web
${servers('30080')}
backend guarded
${servers('30080 agent-check agent-port 9 agent-inter 60s')}
backend others
${servers('30080', 1)}
backend kube-apiserver
${servers('30080')}
backend control
  mode tcp
  option tcp-check
  server cp 10.77.0.1:6443
${servers('6443')}
`
}

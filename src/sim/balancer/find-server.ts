import type { BalancerState } from './balancer-state.ts'
import type { Server } from './server.ts'

/** `backend/server` as a command names it, or HAProxy's words for why it is none. */
export function findServer(state: BalancerState, path: string): Server | string {
  const [backendName, ...rest] = path.split('/')
  const serverName = rest.join('/')
  if (backendName === undefined || backendName === '' || serverName === '') return "Require 'backend/server'.\n"
  const backend = state.backend(backendName)
  if (backend === undefined) return 'No such backend.\n'
  if (state.isStopping) return 'Proxy is disabled.\n'
  return backend.servers.find(({ config }) => config.name === serverName) ?? 'No such server.\n'
}

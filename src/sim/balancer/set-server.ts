import type { Server } from './server.ts'

const SUPPORTED =
  'usage: set server <backend>/<server> addr | agent | agent-addr | agent-port | agent-send | check-addr | check-port | fqdn | health | ssl | state | weight\n'

/** `set server B/S WHAT TO`: nothing to say where it was done. */
export function setServer(server: Server, what: string, to: string): string {
  switch (what) {
    case 'state':
      return setState(server, to)
    case 'health':
      return setHealth(server, to)
    default:
      return SUPPORTED
  }
}

function setState(server: Server, to: string): string {
  if (to !== 'ready' && to !== 'drain' && to !== 'maint') {
    return "'set server <srv> state' expects 'ready', 'drain' and 'maint'.\n"
  }
  server.setAdmin(to)
  return ''
}

const HEALTH = { up: 'running', stopping: 'stopping', down: 'stopped' } as const

function setHealth(server: Server, to: string): string {
  if (to !== 'up' && to !== 'stopping' && to !== 'down') {
    return "'set server <srv> health' expects 'up', 'stopping', or 'down'.\n"
  }
  if (server.config.track !== undefined) return 'cannot change health on a tracking server.\n'
  server.setHealth(HEALTH[to])
  return ''
}

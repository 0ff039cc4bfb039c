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
    case 'agent':
      return setAgent(server, to)
    case 'weight':
      return setWeight(server, to)
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
  if (server.config.track !== undefined) return 'cannot change health on a tracking server.\n'
  if (to !== 'up' && to !== 'stopping' && to !== 'down') {
    return "'set server <srv> health' expects 'up', 'stopping', or 'down'.\n"
  }
  server.setHealth(HEALTH[to])
  return ''
}

function setAgent(server: Server, to: string): string {
  const { agent } = server
  if (agent?.isEnabled !== true) return 'agent checks are not enabled on this server.\n'
  if (to !== 'up' && to !== 'down') return "'set server <srv> agent' expects 'up' or 'down'.\n"
  agent.health = to === 'up' ? 1 : 0
  server.become(to === 'up' ? 'running' : 'stopped')
  return ''
}

export const setWeight = (server: Server, to: string): string => server.setWeight(to) ?? ''

const UNSIGNED = 2 ** 32

/** HAProxy keeps the number without its sign. */
export function setMaxConnections(server: Server, to: string): string {
  if (to === '') return 'Require <maxconn>.\n'
  const [, digits, rest] = /^([+-]?\d+)?(.*)$/.exec(to) ?? []
  if (digits === undefined) return 'maxconn string empty or preceded by garbage'
  if (rest !== '') return 'Trailing garbage in maxconn string'
  const count = Number(digits)
  server.setMaxConnections(count < 0 ? count + UNSIGNED : count)
  return ''
}

export function enableHealth({ check }: Server): string {
  if (check === undefined) return 'Health check was not configured on this server, cannot enable.\n'
  check.enable(true)
  return ''
}

export function enableAgent({ agent }: Server): string {
  if (agent === undefined) return 'Agent was not configured on this server, cannot enable.\n'
  agent.enable(true)
  return ''
}

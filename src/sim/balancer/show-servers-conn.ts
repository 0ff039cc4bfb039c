import type { Backend } from './backend.ts'
import type { BalancerState } from './balancer-state.ts'
import type { Server } from './server.ts'
import { NO_BACKEND } from './show-servers-state.ts'

const HEADER =
  '# bkname/svname bkid/svid addr port - purge_delay used_cur used_max need_est unsafe_nb safe_nb idle_lim idle_cur idle_per_thr[1]\n'
/** `pool-purge-delay`, as it is where the file says nothing. */
const PURGE_DELAY_MS = 5_000
const NO_LIMIT = -1

/** `show servers conn [BACKEND]`, as of one thread. What HAProxy expects to need is not estimated. */
export function showServersConn({ backends }: BalancerState, [name]: readonly string[]): string | readonly string[] {
  const shown = name === undefined ? backends : backends.filter((backend) => backend.name === name)
  if (shown.length === 0 && name !== undefined) return NO_BACKEND
  return [HEADER, ...shown.flatMap((backend) => backend.servers.map((server) => rowOf(backend, server)))]
}

function rowOf({ id, name }: Backend, { id: serverId, config, load, idle }: Server): string {
  const used = [load.sessions.size, load.counters.mostSessions, load.sessions.size]
  const pooled = [idle.size - idle.reused, idle.reused, NO_LIMIT, idle.size, idle.size]
  const place = [`${name}/${config.name}`, `${id}/${serverId}`, config.address, config.port, '-']
  return `${[...place, PURGE_DELAY_MS, ...used, ...pooled].join(' ')}\n`
}

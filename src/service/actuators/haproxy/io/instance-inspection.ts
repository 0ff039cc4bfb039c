import { present } from '../../../../ground/model/present.ts'
import type { BackendInspection, InstanceInspection } from '../../../model/balancer-inspection.ts'
import { mayStick, type RawReading, readingsOf } from './server-reading.ts'

type SocketLevel = InstanceInspection['level']

/** `show cli level`: the level of the socket, without a try of what it allows. */
export function parseLevel(answer: string): SocketLevel {
  return answer === 'admin' || answer === 'operator' || answer === 'user' ? answer : 'unknown'
}

export function inspectionOf(raw: RawReading, level: SocketLevel, allowed: readonly string[]): InstanceInspection {
  const { info, rows, backends, disabledBackends } = raw.tables
  return {
    instance: raw.instance,
    process: info.process,
    ...present({ onlyProcess: info.onlyProcess }),
    version: info.version,
    level,
    processes: info.processes,
    missingBackends: allowed.filter((name) => !backends.has(name) && !disabledBackends.has(name)),
    disabledBackends: allowed.filter((name) => disabledBackends.has(name)),
    backends: allowed.filter((name) => backends.has(name)).map((name) => backendInspection(raw, name)),
    outside: rows
      .filter(({ state }) => !allowed.includes(state.backend))
      .map(({ state: { backend, server, address, port } }) => ({ backend, server, address, port })),
  }
}

function backendInspection(raw: RawReading, name: string): BackendInspection {
  const stats = raw.tables.rows.filter((row) => row.state.backend === name).map((row) => row.stat)
  const mode = stats[0]?.mode
  return {
    name,
    mode: mode === 'http' || mode === 'tcp' ? mode : 'other',
    servers: readingsOf(raw, name),
    stickTable: mayStick(raw),
    redispatch: stats.some((stat) => stat.redispatched > 0) ? 'seen' : 'unknown',
  }
}

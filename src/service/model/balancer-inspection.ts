import type { ServerReading } from './balancer.ts'

/** What was read from one balancer instance before a roll. Nothing was changed for it. */
export interface InstanceInspection {
  readonly instance: string
  readonly process: string
  /** Two instances that show the same are one process. Absent: the balancer does not show what would tell. */
  readonly onlyProcess?: string
  readonly version: string
  /** The level of the socket. Below `admin` no state can be set; below `operator` no cookie is shown. */
  readonly level: 'admin' | 'operator' | 'user' | 'unknown'
  /** Processes that share the configuration, each with its own states; we reach one. HAProxy 2.5 and later: always 1. */
  readonly processes: number
  /** Backends of the allow-list that this instance does not have. */
  readonly missingBackends: readonly string[]
  /** Backends of the allow-list whose configuration says `disabled`. */
  readonly disabledBackends: readonly string[]
  readonly backends: readonly BackendInspection[]
  /** Servers of backends outside the allow-list, which are never changed. */
  readonly outside: readonly SeenServer[]
}

export interface BackendInspection {
  readonly name: string
  /** `tcp`: a client that keeps its connection keeps its server, whatever the server's state. */
  readonly mode: 'http' | 'tcp' | 'other'
  readonly servers: readonly ServerReading[]
  /** Its stick table remembers servers (`stick on`): `drain` alone does not keep known clients away. */
  readonly stickTable: boolean
  /** The runtime API does not show `option redispatch`; a redispatch that has happened proves it. */
  readonly redispatch: 'seen' | 'unknown'
}

export interface SeenServer {
  readonly backend: string
  readonly server: string
  readonly address: string
  readonly port: number
}

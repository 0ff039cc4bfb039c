/** How a backend checks its servers: `option httpchk GET PATH`. */
export interface CheckConfig {
  readonly path: string
  /** `check port`: where that is not the port that traffic is sent to. */
  readonly port?: number
  readonly interMs: number
  readonly fall: number
  readonly rise: number
  /** `timeout check`; without it the whole check may take `inter`. */
  readonly timeoutMs?: number
}

/** `agent-check`: each `inter` a line from this port of the server's machine says how the server is. */
export interface AgentConfig {
  readonly port: number
  readonly interMs: number
}

export interface ServerConfig {
  readonly name: string
  readonly address: string
  readonly port: number
  /** 1 where none is given. */
  readonly weight?: number
  /** The value of its backend's cookie for this server. */
  readonly cookie?: string
  /** `BACKEND/SERVER` whose state and check it follows: it has no check of its own. */
  readonly track?: string
  /** `backup`: used once no other server of its backend can be. */
  readonly isBackup?: boolean
  /** `disabled`: in maint from the beginning. */
  readonly isDisabled?: boolean
  /** `slowstart`: from down or maint on it takes a growing part of its weight and of its `maxconn`, for so long. */
  readonly slowStartMs?: number
  /** `maxconn`: so many requests at once, and others wait; none where it is absent. */
  readonly maxConnections?: number
  readonly agent?: AgentConfig
  /** It has no check of its own, whatever its backend has. */
  readonly isUnchecked?: boolean
}

export interface BackendConfig {
  readonly name: string
  readonly servers: readonly ServerConfig[]
  /** `cookie NAME insert indirect nocache`: clients return to the server that they know. */
  readonly cookie?: string
  /** `option http-server-close`: each answer ends the connection to its server, so that none is pooled. */
  readonly closesServers?: boolean
  /** For all its servers that track no other one; none: they are up without proof. */
  readonly check?: CheckConfig
}

export interface FrontendConfig {
  readonly name: string
  readonly port: number
  readonly backend: string
}

/** The part of a haproxy.cfg that is modelled: `mode http`, `balance roundrobin`, `http-reuse safe`, no redispatch. */
export interface BalancerConfig {
  readonly host: string
  readonly frontends: readonly FrontendConfig[]
  readonly backends: readonly BackendConfig[]
  readonly connectTimeoutMs: number
  readonly clientTimeoutMs: number
  readonly serverTimeoutMs: number
  /** `timeout queue`: for so long a request waits for a server that has room; by default as long as for a connection. */
  readonly queueTimeoutMs?: number
  /** How often a failed connection is tried again; by default 3. */
  readonly retries?: number
  /** `hard-stop-after`: after a reload the old process ends after this time, whatever it still has in work. */
  readonly hardStopAfterMs?: number
  /** `option idle-close-on-response`: a reload leaves idle clients their connection until their next answer. */
  readonly idleCloseOnResponse?: boolean
}

import type { InstanceAddress } from './balancer-spec.ts'

/** The parts of a haproxy.cfg that we use. The running process may differ from it. */
export interface HaproxyConfig {
  readonly file: string
  readonly backends: readonly ConfigBackend[]
  /** `stats socket` lines of section global. */
  readonly sockets: readonly ConfigSocket[]
  readonly frontends: readonly ConfigFrontend[]
  /** Lines that are not understood, and options that endanger a roll. */
  readonly doubts: readonly { readonly line: number; readonly text: string; readonly why: string }[]
}

export interface ConfigBackend {
  readonly name: string
  readonly mode: 'http' | 'tcp' | 'other'
  readonly disabled: boolean
  readonly servers: readonly ConfigServer[]
}

export interface ConfigServer {
  readonly name: string
  /** As written: an IP address or a host name; empty for a unix socket. */
  readonly address: string
  /** 0 where no port is written. */
  readonly port: number
  readonly checked: boolean
}

export interface ConfigSocket {
  readonly line: number
  readonly address: InstanceAddress
  readonly level: 'admin' | 'operator' | 'user'
}

export interface ConfigFrontend {
  readonly name: string
  readonly mode: 'http' | 'tcp' | 'other'
  readonly binds: readonly { readonly address: string; readonly port: number; readonly tls: boolean }[]
  /** From `default_backend` and `use_backend`; for a `listen` its own name. */
  readonly backends: readonly string[]
}

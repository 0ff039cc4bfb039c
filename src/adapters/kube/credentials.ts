import { Agent as PlainAgent } from 'node:http'
import { type RequestOptions, Agent as TlsAgent } from 'node:https'
import type { KubeConfig } from '@kubernetes/client-node/dist/config.js'
import { escapeForeign } from '../../model/foreign-text.ts'
import { WorldError } from '../../model/world-error.ts'
import type { Connection } from './connection.ts'
import { given } from './given.ts'
import { untilAborted } from './within.ts'

/** Below the 90 s after which an API server closes an idle connection, so that it is we who do it. */
const IDLE_CONNECTION_MS = 45_000
const TCP_KEEP_ALIVE_MS = 15_000

/**
 * What it takes to be let in, always as of now: KubeConfig reads token files again, runs plugins whose credential has
 * expired, refreshes what can be refreshed. Connections are kept as long as certificates stay the same.
 */
export class Credentials {
  readonly #load: () => Promise<KubeConfig>
  readonly #configs = new WeakMap<Connection, KubeConfig>()
  #config: KubeConfig | undefined
  #pending: Promise<Connection> | undefined
  #kept: { readonly key: string; readonly agent: PlainAgent } | undefined

  /** `load` reads the kubeconfig anew, and with it everything that was cached. */
  constructor(load: () => Promise<KubeConfig>, loaded?: KubeConfig) {
    this.#load = load
    this.#config = loaded
  }

  /** Rejects with WorldError KUBE_UNAUTHORIZED where no credential can be had, or with the signal's reason. */
  current(signal: AbortSignal): Promise<Connection> {
    // Callers at the same time share one answer, so that a plugin runs once and not once per watch.
    this.#pending ??= this.#resolve().finally(() => {
      this.#pending = undefined
    })
    return untilAborted(this.#pending, signal)
  }

  /** The API server refused this one: everything cached that went into it is forgotten. */
  drop(connection: Connection): void {
    if (this.#configs.get(connection) === this.#config) this.#config = undefined
  }

  async #resolve(): Promise<Connection> {
    const options: RequestOptions = {}
    try {
      const config = this.#config ?? (await this.#load())
      this.#config = config
      await config.applyToHTTPSOptions(options)
      const connection = this.#connect(config, options)
      this.#configs.set(connection, config)
      return connection
    } catch (error) {
      const reason = escapeForeign((error instanceof Error ? error.message : String(error)).trim())
      const facts = { code: 'KUBE_UNAUTHORIZED', retry: 'backoff', cause: error } as const
      throw new WorldError(`no credential for the API server: ${reason}`, facts)
    }
  }

  #connect(config: KubeConfig, options: RequestOptions): Connection {
    const cluster = config.getCurrentCluster()
    const server = new URL(cluster?.server ?? '')
    const agent = cluster?.proxyUrl === undefined ? this.#direct(server, options) : proxied(options)
    return { server, agent, headers: headersOf(options), ...given('clientCertificate', certificateOf(options)) }
  }

  /** One agent for as long as what it proves itself with, and believes, is the same. */
  #direct(server: URL, { ca, cert, key, servername, rejectUnauthorized }: RequestOptions): PlainAgent {
    const identity = JSON.stringify([server.origin, ca, cert, key, servername, rejectUnauthorized].map(String))
    if (this.#kept?.key === identity) return this.#kept.agent
    const common = { keepAlive: true, keepAliveMsecs: TCP_KEEP_ALIVE_MS, timeout: IDLE_CONNECTION_MS }
    const trust = { ...given('ca', ca), ...given('servername', servername) }
    const proof = { ...given('cert', cert), ...given('key', key) }
    const agent =
      server.protocol === 'http:'
        ? new PlainAgent(common)
        : new TlsAgent({ ...common, ...trust, ...proof, rejectUnauthorized: rejectUnauthorized ?? true })
    this.#kept = { key: identity, agent }
    return agent
  }
}

/** KubeConfig makes the agent for a proxy, and keeps it for as long as it lives itself. */
function proxied({ agent }: RequestOptions): PlainAgent {
  if (!(agent instanceof PlainAgent)) throw new TypeError('the proxy-url is of no kind that we know')
  return Object.assign(agent, { keepAlive: true })
}

/** A token read from a file ends in a line break that no header may have. */
function headersOf({ headers, auth }: RequestOptions): Readonly<Record<string, string>> {
  const entries = Object.entries(headers ?? {}).map(([name, value]) => [name, String(value).trim()] as const)
  const basic = auth ? [['Authorization', `Basic ${Buffer.from(auth).toString('base64')}`] as const] : []
  return Object.fromEntries([...entries, ...basic])
}

function certificateOf({ cert }: RequestOptions): string | Buffer | undefined {
  return typeof cert === 'string' || Buffer.isBuffer(cert) ? cert : undefined
}

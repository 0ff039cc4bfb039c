import { Agent as PlainAgent } from 'node:http'
import { type RequestOptions, Agent as TlsAgent } from 'node:https'
import type { KubeConfig } from '@kubernetes/client-node/dist/config.js'
import type { User } from '@kubernetes/client-node/dist/config_types.js'
import { escapeForeign } from '../model/foreign-text.ts'
import { OVER } from '../model/over.ts'
import { present } from '../model/present.ts'
import type { MonoMs } from '../model/time.ts'
import { untilAborted } from '../model/until-aborted.ts'
import { WorldError } from '../model/world-error.ts'
import type { Clock } from '../ports/clock.ts'
import type { Connection } from './connection.ts'
import { KEEP_ALIVE } from './keep-alive.ts'
import type { Impersonation } from './kubeconfig-document.ts'
import type { PinnedKubeconfig } from './pinned-kubeconfig.ts'
import { within } from './within.ts'

/** A plugin has a shorter limit of its own; this one is for tokens that are refreshed over the network. */
const CREDENTIAL_LIMIT_MS = 40_000
const REFUSED_FOR_MS = 5_000

/**
 * The present credentials: KubeConfig reads token files again, runs plugins whose credential has expired, and refreshes tokens.
 * Connections are kept as long as certificates stay the same.
 */
export class Credentials {
  readonly #kubeconfig: PinnedKubeconfig
  readonly #clock: Clock
  readonly #configs = new WeakMap<Connection, KubeConfig>()
  readonly #accepted = new WeakSet<KubeConfig>()
  readonly #work = new AbortController()
  #config: KubeConfig | undefined
  #readAt: MonoMs
  #pending: Promise<Connection> | undefined
  #kept: { readonly key: string; readonly agent: PlainAgent } | undefined

  constructor(kubeconfig: PinnedKubeconfig, clock: Clock) {
    this.#kubeconfig = kubeconfig
    this.#clock = clock
    this.#config = kubeconfig.first
    this.#readAt = clock.monoMs()
  }

  /** Rejects with WorldError KUBE_UNAUTHORIZED where there is no credential, or with the signal's reason. */
  current(signal: AbortSignal): Promise<Connection> {
    // Callers at the same time share one answer, so that a plugin runs once and not once for each watch.
    this.#pending ??= this.#resolve().finally(() => {
      this.#pending = undefined
    })
    return untilAborted(this.#pending, signal)
  }

  /** The API server accepted these credentials. */
  accept(connection: Connection): void {
    const config = this.#configs.get(connection)
    if (config !== undefined) this.#accepted.add(config)
  }

  /**
   * The API server refused these credentials: everything cached for them is dropped. Credentials that were never accepted are
   * kept for a while, so that a server that refuses all of them does not make us run a plugin for every call.
   */
  drop(connection: Connection): void {
    const config = this.#configs.get(connection)
    if (config === undefined || config !== this.#config) return
    const isYoung = this.#clock.monoMs() - this.#readAt < REFUSED_FOR_MS
    if (this.#accepted.has(config) || !isYoung) this.#config = undefined
  }

  /** Ends a running plugin. Called only at the end: when one caller stops waiting, the plugin goes on for the next. */
  close(): void {
    this.#work.abort(OVER)
  }

  async #resolve(): Promise<Connection> {
    try {
      const config = this.#config ?? (await this.#readAgain())
      const late = () => new Error(`none was given within ${CREDENTIAL_LIMIT_MS / 1000} s`)
      const limit = { clock: this.#clock, ms: CREDENTIAL_LIMIT_MS, signal: this.#work.signal, late }
      const options: RequestOptions = {}
      // This signal ends the plugin: KubeConfig passes on the options and nothing else.
      await within(limit, (signal) => config.applyToHTTPSOptions(Object.assign(options, { signal })))
      const connection = this.#connect(config, options)
      this.#configs.set(connection, config)
      return connection
    } catch (error) {
      const reason = escapeForeign((error instanceof Error ? error.message : String(error)).trim())
      const details = { code: 'KUBE_UNAUTHORIZED', retry: 'backoff', cause: error } as const
      throw new WorldError(`no credential for the API server: ${reason}`, details)
    }
  }

  async #readAgain(): Promise<KubeConfig> {
    const config = await this.#kubeconfig.readAgain()
    this.#config = config
    this.#readAt = this.#clock.monoMs()
    return config
  }

  #connect(config: KubeConfig, options: RequestOptions): Connection {
    const cluster = config.getCurrentCluster()
    const server = new URL(cluster?.server ?? '')
    const proxy = cluster?.proxyUrl === undefined ? undefined : new URL(cluster.proxyUrl)
    const agent = proxy?.protocol.startsWith('socks') ? socksAgent(options) : this.#agent({ server, proxy }, options)
    const known = { ...present({ proxy, clientCertificate: certificateOf(options) }) }
    return { server, agent, headers: { ...headersOf(options), ...impersonationOf(config) }, ...known }
  }

  /** The agent is kept while server, proxy, certificates and authority are the same. */
  #agent({ server, proxy }: Way, { ca, cert, key, servername, rejectUnauthorized }: RequestOptions): PlainAgent {
    const parts = [server.origin, proxy?.href, ca, cert, key, servername, rejectUnauthorized]
    const identity = JSON.stringify(parts.map(String))
    if (this.#kept?.key === identity) return this.#kept.agent
    // Set even without a proxy, so that Node takes none from the environment by itself.
    const proxyEnv = proxy === undefined ? {} : { HTTP_PROXY: proxy.href, HTTPS_PROXY: proxy.href }
    const common = { ...KEEP_ALIVE, proxyEnv }
    const trust = { ...present({ ca, servername }) }
    const proof = { ...present({ cert, key }) }
    const agent =
      server.protocol === 'http:'
        ? new PlainAgent(common)
        : new TlsAgent({ ...common, ...trust, ...proof, rejectUnauthorized: rejectUnauthorized ?? true })
    this.#kept = { key: identity, agent }
    return agent
  }
}

interface Way {
  readonly server: URL
  readonly proxy: URL | undefined
}

/** KubeConfig makes the agent for such a proxy, and keeps it as long as itself. */
function socksAgent({ agent }: RequestOptions): PlainAgent {
  if (!(agent instanceof PlainAgent)) throw new TypeError('this proxy cannot be used')
  return Object.assign(agent, { keepAlive: true })
}

/** A token from a file may end in a line break, which a header must not contain. */
function headersOf({ headers, auth }: RequestOptions): Readonly<Record<string, string>> {
  const entries = Object.entries(headers ?? {}).map(([name, value]) => [name, String(value).trim()] as const)
  const basic = auth ? [['Authorization', `Basic ${Buffer.from(auth).toString('base64')}`] as const] : []
  return Object.fromEntries([...entries, ...basic])
}

/** client-node sends the name of the user alone. */
function impersonationOf(config: KubeConfig): Impersonation {
  const user: (User & { readonly impersonation?: Impersonation }) | null = config.getCurrentUser()
  return user?.impersonation ?? {}
}

function certificateOf({ cert }: RequestOptions): string | Buffer | undefined {
  return typeof cert === 'string' || Buffer.isBuffer(cert) ? cert : undefined
}

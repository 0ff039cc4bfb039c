import { Agent as PlainAgent } from 'node:http'
import { type RequestOptions, Agent as TlsAgent } from 'node:https'
import { isIP } from 'node:net'
import { type ConnectionOptions, checkServerIdentity } from 'node:tls'
import { escapeForeign } from '../model/foreign-text.ts'
import { OVER } from '../model/over.ts'
import { present } from '../model/present.ts'
import type { MonoMs } from '../model/time.ts'
import { untilAborted } from '../model/until-aborted.ts'
import { WorldError } from '../model/world-error.ts'
import type { Clock } from '../ports/clock.ts'
import { TOKEN_FILE } from './client-config.ts'
import type { Connection } from './connection.ts'
import { headerText, impersonationOf } from './impersonation.ts'
import { KEEP_ALIVE } from './keep-alive.ts'
import { serverUrl } from './kubeconfig-faults.ts'
import type { PinnedKubeconfig, Reading } from './pinned-kubeconfig.ts'
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
  readonly #readings = new WeakMap<Connection, Reading>()
  readonly #accepted = new WeakSet<Reading>()
  readonly #work = new AbortController()
  #reading: Reading | undefined
  #readAt: MonoMs
  #pending: Promise<Connection> | undefined
  #kept: { readonly key: string; readonly agent: PlainAgent } | undefined

  constructor(kubeconfig: PinnedKubeconfig, clock: Clock) {
    this.#kubeconfig = kubeconfig
    this.#clock = clock
    this.#reading = kubeconfig.first
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
    const reading = this.#readings.get(connection)
    if (reading !== undefined) this.#accepted.add(reading)
  }

  /**
   * The API server refused these credentials: everything cached for them is dropped. Credentials that were never accepted are
   * kept for a while, so that a server that refuses all of them does not make us run a plugin for every call.
   */
  drop(connection: Connection): void {
    const reading = this.#readings.get(connection)
    if (reading === undefined || reading !== this.#reading) return
    const isYoung = this.#clock.monoMs() - this.#readAt < REFUSED_FOR_MS
    if (this.#accepted.has(reading) || !isYoung) this.#reading = undefined
  }

  /** Ends a running plugin. Called only at the end: when one caller stops waiting, the plugin goes on for the next. */
  close(): void {
    this.#work.abort(OVER)
  }

  async #resolve(): Promise<Connection> {
    try {
      const reading = this.#reading ?? (await this.#readAgain())
      const late = () => new Error(`none was given within ${CREDENTIAL_LIMIT_MS / 1000} s`)
      const limit = { clock: this.#clock, ms: CREDENTIAL_LIMIT_MS, signal: this.#work.signal, late }
      const options: RequestOptions = {}
      // This signal ends the plugin: KubeConfig passes on the options and nothing else.
      await within(limit, (signal) => reading.config.applyToHTTPSOptions(Object.assign(options, { signal })))
      const connection = this.#connect(reading, options)
      this.#readings.set(connection, reading)
      return connection
    } catch (error) {
      const reason = escapeForeign((error instanceof Error ? error.message : String(error)).trim())
      const details = { code: 'KUBE_UNAUTHORIZED', retry: 'backoff', cause: error } as const
      throw new WorldError(`no credential for the API server: ${reason}`, details)
    }
  }

  async #readAgain(): Promise<Reading> {
    const reading = await this.#kubeconfig.readAgain()
    this.#reading = reading
    this.#readAt = this.#clock.monoMs()
    return reading
  }

  #connect({ used, config }: Reading, options: RequestOptions): Connection {
    const { cluster, user } = used
    const server = serverUrl(cluster.server)
    const proxy = used.proxy === undefined ? undefined : new URL(used.proxy)
    const agent = proxy?.protocol.startsWith('socks') ? socksAgent(options) : this.#agent({ server, proxy }, options)
    const isFiled = config.getCurrentUser()?.authProvider?.name === TOKEN_FILE
    const known = { ...present({ proxy, clientCertificate: certificateOf(options) }) }
    return { server, agent, headers: { ...headersOf(options, isFiled), ...impersonationOf(user) }, ...known }
  }

  /** The agent is kept while server, proxy, certificates and authority are the same. */
  #agent({ server, proxy }: Way, { ca, cert, key, servername, rejectUnauthorized }: RequestOptions): PlainAgent {
    const parts = [server.origin, proxy?.href, ca, cert, key, servername, rejectUnauthorized]
    const identity = JSON.stringify(parts.map(String))
    if (this.#kept?.key === identity) return this.#kept.agent
    // Set even without a proxy, so that Node takes none from the environment by itself.
    const proxyEnv = proxy === undefined ? {} : { HTTP_PROXY: proxy.href, HTTPS_PROXY: proxy.href }
    const common = { ...KEEP_ALIVE, proxyEnv }
    const trust = { ...present({ ca }), ...namedBy(servername) }
    const proof = { ...present({ cert, key }) }
    const agent =
      server.protocol === 'http:'
        ? new PlainAgent(common)
        : new TlsAgent({ ...common, ...trust, ...proof, rejectUnauthorized: rejectUnauthorized ?? true })
    this.#kept = { key: identity, agent }
    return agent
  }
}

/** The name that the certificate must bear. An address is not sent (RFC 6066, 3), as Go sends none, and looked at all the same. */
function namedBy(name: string | undefined): Pick<ConnectionOptions, 'servername' | 'checkServerIdentity'> {
  if (name === undefined) return {}
  if (isIP(name) === 0) return { servername: name }
  return { servername: '', checkServerIdentity: (_, certificate) => checkServerIdentity(name, certificate) }
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

/** A token from a file may have blanks around it, and end in a line break, which a header must not contain. */
function headersOf({ headers, auth }: RequestOptions, isFiled: boolean): Readonly<Record<string, string>> {
  const text = (value: string): string => headerText(isFiled ? value.replace(/^Bearer\s+/, 'Bearer ').trim() : value)
  const entries = Object.entries(headers ?? {}).map(([name, value]) => [name, text(String(value))] as const)
  const basic = auth ? [['Authorization', `Basic ${Buffer.from(auth).toString('base64')}`] as const] : []
  return Object.fromEntries([...entries, ...basic])
}

function certificateOf({ cert }: RequestOptions): string | Buffer | undefined {
  return typeof cert === 'string' || Buffer.isBuffer(cert) ? cert : undefined
}

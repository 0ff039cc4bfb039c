import { readFile } from 'node:fs/promises'
import { Agent as TlsAgent } from 'node:https'
import { join } from 'node:path'
import { WorldError } from '../model/world-error.ts'
import type { Connection } from './connection.ts'
import type { Credentials } from './credentials.ts'
import { KEEP_ALIVE } from './keep-alive.ts'

interface ServiceAccountParts {
  readonly server: URL
  /** Where the kubelet puts `token` and `ca.crt`, and renews the first (KEP-1205). */
  readonly directory: string
}

/**
 * The present service account of the pod that we run in: the token is read for every request, and connections are kept while
 * the authority is the same. For a program that must not include a kubeconfig's reader.
 */
export class ServiceAccount implements Pick<Credentials, 'current' | 'accept' | 'drop'> {
  readonly #parts: ServiceAccountParts
  #kept: { readonly ca: string; readonly agent: TlsAgent } | undefined

  constructor(parts: ServiceAccountParts) {
    this.#parts = parts
  }

  async current(signal: AbortSignal): Promise<Connection> {
    const { server } = this.#parts
    const token = (await this.#read('token', signal)).trim()
    return { server, agent: await this.#agent(signal), headers: { authorization: `Bearer ${token}` } }
  }

  accept(): void {
    // Nothing is cached, so nothing has to be confirmed.
  }

  drop(): void {
    this.#kept = undefined
  }

  async #agent(signal: AbortSignal): Promise<TlsAgent> {
    const ca = await this.#read('ca.crt', signal)
    if (this.#kept?.ca !== ca) this.#kept = { ca, agent: new TlsAgent({ ...KEEP_ALIVE, proxyEnv: {}, ca }) }
    return this.#kept.agent
  }

  async #read(name: string, signal: AbortSignal): Promise<string> {
    const path = join(this.#parts.directory, name)
    try {
      return await readFile(path, { encoding: 'utf8', signal })
    } catch (error) {
      signal.throwIfAborted()
      const why = error instanceof Error && 'code' in error ? String(error.code) : 'it cannot be read'
      throw new WorldError(`no credential for the API server: ${path}: ${why}`, {
        code: 'KUBE_UNAUTHORIZED',
        retry: 'backoff',
        cause: error,
      })
    }
  }
}

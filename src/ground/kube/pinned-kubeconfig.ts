import { readFileSync } from 'node:fs'
import type { KubeConfig } from '@kubernetes/client-node/dist/config.js'
import type { Endpoint } from '../model/endpoint.ts'
import type { ClusterContext } from '../model/run-origin.ts'
import { UserError } from '../model/user-error.ts'
import type { Clock } from '../ports/clock.ts'
import { clientConfig, pluginOf } from './client-config.ts'
import { usePlugin } from './exec-plugin.ts'
import { serverUrl } from './kubeconfig-faults.ts'
import { SERVICE_ACCOUNT_TOKEN } from './kubeconfig-paths.ts'
import { type KubeconfigSource, type LoadedContext, loadKubeconfig } from './load-kubeconfig.ts'
import { subjectOf } from './token-subject.ts'

const UNKNOWN_ACCOUNT = 'the service account of this pod'

/** One reading: the context as it is written, and as client-node makes requests by it. */
export interface Reading {
  readonly used: LoadedContext
  readonly config: KubeConfig
}

/**
 * A kubeconfig that can be read again, but always means the cluster of the first reading: if the current context is switched in
 * another terminal, work under way must not turn to another cluster.
 */
export class PinnedKubeconfig {
  readonly #source: KubeconfigSource
  readonly #clock: Clock
  /** The kubeconfig as it was first read. */
  readonly first: Reading

  private constructor(source: KubeconfigSource, clock: Clock, first: Reading) {
    this.#source = { ...source, context: first.used.name }
    this.#clock = clock
    this.first = first
  }

  static async read(source: KubeconfigSource, clock: Clock): Promise<PinnedKubeconfig> {
    return new PinnedKubeconfig(source, clock, await readOnce(source, clock))
  }

  /** By the URL of the server: the port is that of the protocol where none is written. */
  get server(): Endpoint {
    const { hostname, port, protocol } = this.#url
    const usual = protocol === 'https:' ? 443 : 80
    return { address: hostname, port: Number(port || usual) }
  }

  /** The namespace of the context; absent where it names none. */
  get namespace(): string | undefined {
    return this.first.used.namespace || undefined
  }

  /** The name in the kubeconfig, or the user that it stands for: `jane (by admin)`; absent where the context names none. */
  get user(): string | undefined {
    const { userName, user } = this.first.used
    return user.as === '' || userName === '' ? userName || undefined : `${user.as} (by ${userName})`
  }

  /** As people know it. */
  get context(): ClusterContext {
    // A path or a password in the URL may be secret.
    const server = this.#url.origin
    if (this.#source.paths.length === 0) return { context: 'in-cluster', server, user: podUser() }
    return { context: this.first.used.name, server, user: this.user ?? '' }
  }

  get #url(): URL {
    return serverUrl(this.first.used.cluster.server)
  }

  /** Without anything cached that belongs to an earlier credential. */
  async readAgain(): Promise<Reading> {
    const again = await readOnce(this.#source, this.#clock)
    if (again.used.cluster.server === this.first.used.cluster.server) return again
    throw new UserError(`context ${this.#source.context} now names another API server`, {
      code: 'KUBECONFIG_BROKEN',
      fix: 'put the context back, or start again with the other cluster',
    })
  }
}

/** The service account whose token the kubelet put into this pod. */
function podUser(): string {
  try {
    return subjectOf(readFileSync(SERVICE_ACCOUNT_TOKEN, 'utf8')) ?? UNKNOWN_ACCOUNT
  } catch (error) {
    if (error instanceof Error && 'code' in error) return UNKNOWN_ACCOUNT
    throw error
  }
}

async function readOnce(source: KubeconfigSource, clock: Clock): Promise<Reading> {
  const used = loadKubeconfig(source)
  const config = await clientConfig(used)
  const plugin = pluginOf(used)
  if (plugin !== undefined) usePlugin(config, { plugin, cluster: used.cluster, clock, env: source.env })
  return { used, config }
}

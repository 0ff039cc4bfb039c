import { readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { KubeConfig } from '@kubernetes/client-node/dist/config.js'
import { escapeForeign } from '../model/foreign-text.ts'
import { UserError } from '../model/user-error.ts'
import { chooseContext } from './choose-context.ts'
import { chooseProxy, type Environment } from './choose-proxy.ts'
import { kubeconfigDocument } from './kubeconfig-document.ts'
import { errorCode } from './transport-error.ts'

export interface KubeconfigSource {
  /** In the order of $KUBECONFIG: earlier files have precedence. None: the service account of the pod that we run in. */
  readonly paths: readonly string[]
  /** Instead of the current context. */
  readonly context: string | undefined
  /** The environment of the process: $HTTPS_PROXY and $NO_PROXY are used. */
  readonly env: Environment
}

/** The reader of kubeconfigs. It takes half a second to load, which a command that needs no cluster must not pay. */
const reader = () => import('@kubernetes/client-node/dist/config.js')

/** Loads it ahead, for a process that must not stop while it reads. */
export async function preloadKubeconfigReader(): Promise<void> {
  await reader()
}

/**
 * Reads the address of the cluster and the credentials, with the chosen context. Rejects with UserError KUBECONFIG_MISSING,
 * KUBECONFIG_BROKEN, KUBECONFIG_NO_CONTEXT, KUBE_PROXY.
 */
export async function loadKubeconfig(source: KubeconfigSource): Promise<KubeConfig> {
  const { KubeConfig } = await reader()
  const merged = new KubeConfig()
  if (source.paths.length === 0) merged.loadFromCluster()
  for (const path of source.paths) {
    const file = new KubeConfig()
    loadFile(file, path)
    merge(merged, file)
  }
  const where = source.paths.length === 0 ? "the pod's service account" : source.paths.join(', ')
  chooseContext(merged, source.context, where)
  chooseProxy(merged, source.env, where)
  allowPlainHttp(merged)
  return merged
}

/** As kubectl reads a file: an entry that cannot be used matters to nobody who does not use it. */
const USABLE_ALONE = 'filter'

function loadFile(config: KubeConfig, path: string): void {
  const text = readText(path)
  try {
    const { text: document, impersonations } = kubeconfigDocument(text, dirname(path))
    config.loadFromString(document, { onInvalidEntry: USABLE_ALONE })
    config.users = config.users.map((user) => ({ ...user, impersonation: impersonations.get(user.name) }))
  } catch (error) {
    throw new UserError(`kubeconfig ${path} cannot be understood: ${reasonOf(error)}`, {
      code: 'KUBECONFIG_BROKEN',
      fix: `correct ${path}; \`kubectl --kubeconfig ${path} config view\` reads the same file`,
      cause: error,
    })
  }
  config.makePathsAbsolute(dirname(path))
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const missing = errorCode(error) === 'ENOENT'
    throw new UserError(missing ? `there is no kubeconfig ${path}` : `kubeconfig ${path} cannot be read`, {
      code: missing ? 'KUBECONFIG_MISSING' : 'KUBECONFIG_BROKEN',
      fix: missing ? 'name the file with --kubeconfig or $KUBECONFIG' : `make ${path} readable for this user`,
      cause: error,
    })
  }
}

/** client-node's own merge takes the last current context and throws on a repeated name; kubectl takes the first of each. */
function merge(into: KubeConfig, from: KubeConfig): void {
  const isNewIn = (known: readonly { readonly name: string }[]) => (added: { readonly name: string }) =>
    !known.some(({ name }) => name === added.name)
  into.clusters = [...into.clusters, ...from.clusters.filter(isNewIn(into.clusters))]
  into.users = [...into.users, ...from.users.filter(isNewIn(into.users))]
  into.contexts = [...into.contexts, ...from.contexts.filter(isNewIn(into.contexts))]
  // An empty one says nothing.
  into.currentContext ||= from.currentContext
}

/** client-node accepts plain HTTP only where certificates are not checked; where it is allowed here there are none. */
function allowPlainHttp(config: KubeConfig): void {
  config.clusters = config.clusters.map((cluster) =>
    cluster.server.startsWith('http:') ? { ...cluster, skipTLSVerify: true } : cluster,
  )
}

/** Only the first line: the others quote the file, which may contain a token. */
function reasonOf(error: unknown): string {
  const [first = ''] = (error instanceof Error ? error.message : String(error)).split('\n')
  return escapeForeign(first.replace(/:$/, ''))
}

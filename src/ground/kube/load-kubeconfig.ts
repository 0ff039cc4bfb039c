import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { YAMLParseError } from 'yaml'
import { escapeForeign } from '../model/foreign-text.ts'
import { UserError } from '../model/user-error.ts'
import { chooseContext, type UsedContext } from './choose-context.ts'
import { chooseProxy, type Environment } from './choose-proxy.ts'
import { type Kubeconfig, parseKubeconfig } from './kubeconfig-file.ts'
import { podsContext } from './pods-context.ts'
import { errorCode } from './transport-error.ts'

export interface KubeconfigSource {
  /** In the order of $KUBECONFIG: earlier files have precedence. None: the service account of the pod that we run in. */
  readonly paths: readonly string[]
  /** Instead of the current context. */
  readonly context: string | undefined
  /** The environment of the process: $HTTPS_PROXY and $NO_PROXY are used. */
  readonly env: Environment
}

export interface LoadedContext extends UsedContext {
  /** Of the kubeconfig or of the environment; undefined: none is used. */
  readonly proxy: string | undefined
}

/**
 * Reads the address of the cluster and the credentials of the chosen context, with the proxy that is used. Throws UserError
 * KUBECONFIG_MISSING, KUBECONFIG_BROKEN, KUBECONFIG_NO_CONTEXT, KUBE_PROXY.
 */
export function loadKubeconfig({ paths, context, env }: KubeconfigSource): LoadedContext {
  const where = paths.length === 0 ? "the pod's service account" : paths.join(', ')
  const used = paths.length === 0 ? podsContext(env) : chooseContext(mergedKubeconfig(paths), context, where)
  return { ...used, proxy: chooseProxy(used.cluster, env, where) }
}

/** Of each name the entry of the first file that has it, as client-go merges. Throws UserError KUBECONFIG_MISSING, KUBECONFIG_BROKEN. */
export function mergedKubeconfig(paths: readonly string[]): Kubeconfig {
  const files = paths.map(readFile)
  return {
    clusters: firstOf(files.map(({ clusters }) => clusters)),
    users: firstOf(files.map(({ users }) => users)),
    contexts: firstOf(files.map(({ contexts }) => contexts)),
    // An empty one says nothing.
    currentContext: files.map(({ currentContext }) => currentContext).find((name) => name !== '') ?? '',
  }
}

function readFile(path: string): Kubeconfig {
  const bytes = readBytes(path)
  try {
    return parseKubeconfig(bytes, resolve(dirname(path)))
  } catch (error) {
    throw new UserError(`kubeconfig ${path} cannot be understood: ${reasonOf(error)}`, {
      code: 'KUBECONFIG_BROKEN',
      fix: `correct ${path}; \`kubectl --kubeconfig ${path} config view\` reads the same file`,
      cause: error,
    })
  }
}

function readBytes(path: string): Buffer {
  try {
    return readFileSync(path)
  } catch (error) {
    const missing = errorCode(error) === 'ENOENT'
    throw new UserError(missing ? `there is no kubeconfig ${path}` : `kubeconfig ${path} cannot be read`, {
      code: missing ? 'KUBECONFIG_MISSING' : 'KUBECONFIG_BROKEN',
      fix: missing ? 'name the file with --kubeconfig or $KUBECONFIG' : `make ${path} readable for this user`,
      cause: error,
    })
  }
}

/** Only the first line: the others quote the file, which may contain a token. */
function reasonOf(error: unknown): string {
  const [first = ''] = (error instanceof Error ? error.message : String(error)).split('\n')
  return escapeForeign(error instanceof YAMLParseError ? first.replace(/:$/, '') : first)
}

function firstOf<T>(maps: readonly ReadonlyMap<string, T>[]): ReadonlyMap<string, T> {
  const merged = new Map<string, T>()
  for (const [name, entry] of maps.flatMap((map) => [...map])) if (!merged.has(name)) merged.set(name, entry)
  return merged
}

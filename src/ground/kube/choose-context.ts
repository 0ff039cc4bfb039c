import type { KubeConfig } from '@kubernetes/client-node/dist/config.js'
import { escapeForeign } from '../model/foreign-text.ts'
import { UserError } from '../model/user-error.ts'

/**
 * Makes `wanted`, or else the current context, the one in use, and checks that it can be used. `where` names the files in the
 * errors. Throws UserError KUBECONFIG_NO_CONTEXT, KUBECONFIG_BROKEN.
 */
export function chooseContext(config: KubeConfig, wanted: string | undefined, where: string): void {
  const name = wanted ?? config.currentContext
  const existing = config.contexts.map((known) => escapeForeign(known.name)).join(', ')
  const fix = existing === '' ? 'write a context into the kubeconfig' : `choose one with --context: ${existing}`
  if (typeof name !== 'string' || name === '') {
    throw new UserError(`no current context in ${where}`, { code: 'KUBECONFIG_NO_CONTEXT', fix })
  }
  if (!config.contexts.some((known) => known.name === name)) {
    throw new UserError(`no context ${escapeForeign(name)} in ${where}`, { code: 'KUBECONFIG_NO_CONTEXT', fix })
  }
  config.setCurrentContext(name)
  withNobody(config)
  const broken = brokenPart(config)
  if (broken === undefined) return
  throw new UserError(`context ${escapeForeign(name)} in ${where} ${broken}`, {
    code: 'KUBECONFIG_BROKEN',
    fix: 'correct it, or choose another with --context',
  })
}

function brokenPart(config: KubeConfig): string | undefined {
  const cluster = config.getCurrentCluster()
  const user = config.getCurrentUser()
  if (cluster === null) return 'names a cluster that is not there or has no server'
  if (user === null) return 'names a user that is not there'
  if (!isUsableServer(cluster.server)) {
    return `has the server ${escapeForeign(cluster.server)}, which is neither https nor on this machine`
  }
  if ('impersonation' in user && user.impersonation === 'of nobody')
    return `has the user ${escapeForeign(user.name)} with as-groups, as-uid or as-user-extra without as`
  const provider: unknown = user.authProvider?.name
  // These two providers run their command without a time limit; Kubernetes dropped them in 1.26.
  if (provider === 'gcp' || provider === 'azure')
    return `uses the auth-provider ${provider}: use an exec plugin instead`
  return undefined
}

/**
 * A context may name no user, as one for `kubectl proxy`: its requests bear no credential. client-node reads not even the CA of the
 * cluster without a user, so it gets an empty one.
 */
function withNobody(config: KubeConfig): void {
  if (config.contexts.find(({ name }) => name === config.currentContext)?.user) return
  config.contexts = config.contexts.map((one) => (one.name === config.currentContext ? { ...one, user: NOBODY } : one))
  config.users = [...config.users, { name: NOBODY }]
}

/** No file has a user of this name: there the name would be missing. */
const NOBODY = ''

/** A credential is never sent unencrypted, except to this machine itself. */
function isUsableServer(server: string): boolean {
  if (!URL.canParse(server)) return false
  const { protocol, hostname } = new URL(server)
  return protocol === 'https:' || (protocol === 'http:' && ['127.0.0.1', '[::1]', 'localhost'].includes(hostname))
}

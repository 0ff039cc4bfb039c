import { escapeForeign } from '../model/foreign-text.ts'
import { UserError } from '../model/user-error.ts'
import { clusterFault, userFault } from './kubeconfig-faults.ts'
import type { Kubeconfig, KubeconfigCluster, KubeconfigUser } from './kubeconfig-file.ts'

/** The context in use with all that it names. */
export interface UsedContext {
  readonly name: string
  readonly namespace: string
  readonly clusterName: string
  readonly cluster: KubeconfigCluster
  /** Empty where it names none: its requests bear no credential. */
  readonly userName: string
  readonly user: KubeconfigUser
}

/**
 * The context `wanted`, or else the current one, with its cluster and user. `where` names the files in the errors. Throws UserError
 * KUBECONFIG_NO_CONTEXT, or KUBECONFIG_BROKEN where it cannot be used.
 */
export function chooseContext(config: Kubeconfig, wanted: string | undefined, where: string): UsedContext {
  const { contexts, clusters, users } = config
  const name = wanted || config.currentContext
  const existing = [...contexts.keys()].filter((known) => known !== '').map((known) => escapeForeign(known))
  const fix =
    existing.length === 0 ? 'write a context into the kubeconfig' : `choose one with --context: ${existing.join(', ')}`
  if (name === '' && !contexts.has(''))
    throw new UserError(`no current context in ${where}`, { code: 'KUBECONFIG_NO_CONTEXT', fix })
  const context = contexts.get(name)
  if (context === undefined) {
    throw new UserError(`no context ${escapeForeign(name)} in ${where}`, { code: 'KUBECONFIG_NO_CONTEXT', fix })
  }
  const broken = (words: string): UserError =>
    new UserError(`context ${escapeForeign(name)} in ${where} ${words}`, {
      code: 'KUBECONFIG_BROKEN',
      fix: 'correct it, or choose another with --context',
    })
  const cluster = clusters.get(context.cluster)
  if (cluster === undefined) throw broken('names a cluster that is not there')
  const user = users.get(context.user) ?? (context.user === '' ? NOBODY : undefined)
  if (user === undefined) throw broken('names a user that is not there')
  const faultOfCluster = clusterFault(cluster)
  if (faultOfCluster !== undefined)
    throw broken(`names the cluster ${escapeForeign(context.cluster)}, which ${faultOfCluster}`)
  const faultOfUser = userFault(user, cluster.server)
  if (faultOfUser !== undefined) throw broken(`names the user ${escapeForeign(context.user)}, which ${faultOfUser}`)
  return { name, namespace: context.namespace, clusterName: context.cluster, cluster, userName: context.user, user }
}

/** What a context without a user makes its requests as. */
export const NOBODY: KubeconfigUser = {
  ...{ certFile: '', certData: '', keyFile: '', keyData: '', token: '', tokenFile: '', username: '', password: '' },
  ...{ as: '', asUid: '', asGroups: [], asExtra: new Map(), provider: undefined, exec: undefined },
}

import { readFileSync } from 'node:fs'
import type { KubeConfig } from '@kubernetes/client-node/dist/config.js'
import type { User } from '@kubernetes/client-node/dist/config_types.js'
import { escapeForeign } from '../model/foreign-text.ts'
import { UserError } from '../model/user-error.ts'
import { isTls, serverUrl } from './kubeconfig-faults.ts'
import type { KubeconfigUser } from './kubeconfig-file.ts'
import type { LoadedContext } from './load-kubeconfig.ts'

/** What reads certificates, tokens and what OpenID Connect gives. It takes half a second to load, which a command that needs no cluster must not pay. */
const reader = () => import('@kubernetes/client-node/dist/config.js')

/** Loads it ahead, for a process that must not stop while it reads. */
export async function preloadKubeconfigReader(): Promise<void> {
  await reader()
}

/** The context as client-node has it: its one cluster, user and context. Rejects with UserError KUBECONFIG_BROKEN. */
export async function clientConfig({
  name,
  namespace,
  cluster,
  userName,
  user,
  clusterName,
  proxy = '',
}: LoadedContext): Promise<KubeConfig> {
  const { KubeConfig } = await reader()
  const config = new KubeConfig()
  const isPlain = !isTls(cluster.server)
  const { caFile, caData, tlsServerName } = cluster
  config.loadFromOptions({
    clusters: [
      {
        ...{
          name: clusterName,
          server: serverUrl(cluster.server).href,
          ...written({ caFile, caData, tlsServerName, proxyUrl: proxy }),
        },
        // client-node accepts plain HTTP only where certificates are not checked; where it is allowed here there are none.
        skipTLSVerify: cluster.isUnchecked || isPlain,
      },
    ],
    users: [{ name: userName, ...written({ impersonateUser: user.as }), ...(isPlain ? {} : credentialsOf(user)) }],
    contexts: [{ name, cluster: clusterName, user: userName, ...written({ namespace }) }],
    currentContext: name,
  })
  return config
}

/** A certificate is shown with each of them; of the others the first. */
function credentialsOf(user: KubeconfigUser): Partial<User> {
  const { certFile, certData, keyFile, keyData, username, password, provider } = user
  const hasCertificate = `${certFile}${certData}` !== ''
  const certificate = hasCertificate ? written({ certFile, certData, keyFile, keyData }) : {}
  const token = tokenOf(user)
  if (token !== undefined) return { ...certificate, ...token }
  if (username !== '') return { ...certificate, username, password }
  return provider === undefined ? certificate : { ...certificate, authProvider: provider }
}

/** client-node knows a file for service accounts alone. It goes before a token that is written down, where it can be read. */
function tokenOf({ token, tokenFile }: KubeconfigUser): Partial<User> | undefined {
  if (tokenFile === '') return token === '' ? undefined : { token }
  const fault = faultOfTokenFile(tokenFile)
  if (fault === undefined) return { authProvider: { name: TOKEN_FILE, config: { tokenFile } } }
  if (token !== '') return { token }
  throw new UserError(`the tokenFile ${escapeForeign(tokenFile)} ${fault}`, {
    code: 'KUBECONFIG_BROKEN',
    fix: 'write the token to it, or name another file in the kubeconfig',
  })
}

export const TOKEN_FILE = 'tokenFile'

function faultOfTokenFile(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim() === '' ? 'is empty' : undefined
  } catch {
    return 'cannot be read'
  }
}

/** A plugin runs only where nothing else says who the user is. */
export const pluginOf = ({ cluster, user }: LoadedContext): KubeconfigUser['exec'] => {
  const { token, tokenFile, username, certFile, certData, exec } = user
  return isTls(cluster.server) && `${token}${tokenFile}${username}${certFile}${certData}` === '' ? exec : undefined
}

/** The fields that are not empty. */
const written = <Name extends string>(fields: Readonly<Record<Name, string>>): Partial<Record<Name, string>> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== '')) as Partial<Record<Name, string>>

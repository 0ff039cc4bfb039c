import { accessSync, constants } from 'node:fs'
import { escapeForeign } from '../model/foreign-text.ts'
import type { KubeconfigCluster, KubeconfigPlugin, KubeconfigUser } from './kubeconfig-file.ts'

/** Why no request can be sent to this cluster, as client-go sees it (clientcmd, validation.go), behind `the cluster NAME`; undefined: it can. */
export function clusterFault(cluster: KubeconfigCluster): string | undefined {
  const { server, caFile, caData, isUnchecked } = cluster
  if (server === '') return 'has no server'
  if (!isUsableServer(server))
    return `has the server ${escapeForeign(server)}, which is neither https nor on this machine`
  if (hasUser(server)) return 'has a user in its URL: write username and password to a user'
  if (caFile !== '' && caData !== '') return 'has both certificate-authority and certificate-authority-data'
  if (!isReadable(caFile)) return `has certificate-authority ${escapeForeign(caFile)}, which cannot be read`
  if (isTls(server) && isUnchecked && `${caFile}${caData}` !== '')
    return 'has insecure-skip-tls-verify beside an authority: one of them has to go'
  return undefined
}

/** The same of a user. `server`: that of the cluster, which gets no credential over plain HTTP. */
export function userFault(user: KubeconfigUser, server: string): string | undefined {
  const { token, tokenFile, username, password, as, asUid, asGroups, asExtra, exec } = user
  if (token !== '' && `${username}${password}` !== '') return 'has a token beside a username or password'
  if (as === '' && (asUid !== '' || asGroups.length > 0 || asExtra.size > 0))
    return 'has as-groups, as-uid or as-user-extra without as'
  const fault = certificateFault(user) ?? (exec === undefined ? undefined : pluginFault(exec, user))
  if (fault !== undefined || !isTls(server)) return fault
  if (tokenFile !== '' && username !== '') return 'has a tokenFile beside a username'
  return providerFault(user) ?? (exec !== undefined && !PLUGIN_VERSIONS.includes(exec.apiVersion) ? VERSION : undefined)
}

/** Without a scheme it is http. Slashes that follow on one another are one, as for Go. */
export function serverUrl(server: string): URL {
  const url = new URL(server.includes('://') ? server : `http://${server}`)
  url.pathname = url.pathname.replaceAll(/\/{2,}/g, '/')
  return url
}

export const isTls = (server: string): boolean => serverUrl(server).protocol === 'https:'

/** Nothing is sent unencrypted, except to this machine itself. A URL of JavaScript overlooks spaces; one of Go does not. */
function isUsableServer(server: string): boolean {
  if (server !== server.trim() || !URL.canParse(server.includes('://') ? server : `http://${server}`)) return false
  const { protocol, hostname } = serverUrl(server)
  return protocol === 'https:' || (protocol === 'http:' && ['127.0.0.1', '[::1]', 'localhost'].includes(hostname))
}

function hasUser(server: string): boolean {
  const { username, password } = serverUrl(server)
  return `${username}${password}` !== ''
}

function certificateFault({ certFile, certData, keyFile, keyData }: KubeconfigUser): string | undefined {
  if (certFile === '' && certData === '') return undefined
  if (certFile !== '' && certData !== '') return 'has both client-certificate and client-certificate-data'
  if (keyFile !== '' && keyData !== '') return 'has both client-key and client-key-data'
  if (keyFile === '' && keyData === '') return 'has a client certificate without its key'
  const unreadable = [certFile, keyFile].find((path) => !isReadable(path))
  return unreadable === undefined ? undefined : `has the file ${escapeForeign(unreadable)}, which cannot be read`
}

const PLUGIN_VERSIONS = ['client.authentication.k8s.io/v1', 'client.authentication.k8s.io/v1beta1']
const VERSION = `has a plugin whose apiVersion is neither ${PLUGIN_VERSIONS.join(' nor ')}`

function pluginFault(plugin: KubeconfigPlugin, { provider }: KubeconfigUser): string | undefined {
  const { command, apiVersion, env, interactiveMode } = plugin
  if (provider !== undefined) return 'has an auth-provider beside a plugin'
  if (command === '') return 'has a plugin without a command'
  if (apiVersion === '') return 'has a plugin without an apiVersion'
  if (env.some(({ name }) => name === '')) return 'has a plugin with a variable that has no name'
  return ['Never', 'IfAvailable', 'Always'].includes(interactiveMode)
    ? undefined
    : 'has a plugin whose interactiveMode is neither Never, IfAvailable nor Always'
}

/** Kubernetes dropped the providers of clouds in 1.26, and never had others. */
function providerFault({ provider }: KubeconfigUser): string | undefined {
  if (provider === undefined) return undefined
  if (provider.name !== 'oidc')
    return `has the auth-provider ${escapeForeign(provider.name)}: use an exec plugin instead`
  return provider.config['id-token'] ? undefined : 'has the auth-provider oidc without an id-token'
}

function isReadable(path: string): boolean {
  try {
    if (path !== '') accessSync(path, constants.R_OK)
    return true
  } catch {
    return false
  }
}

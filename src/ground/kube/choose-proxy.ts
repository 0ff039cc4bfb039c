import process from 'node:process'
import { UserError } from '../model/user-error.ts'
import { bypassesProxy } from './bypasses-proxy.ts'
import { serverUrl } from './kubeconfig-faults.ts'
import type { KubeconfigCluster } from './kubeconfig-file.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/**
 * The proxy for the API server, as kubectl takes it: the kubeconfig's proxy-url, whatever $NO_PROXY says; otherwise $HTTPS_PROXY,
 * except for servers in $NO_PROXY and on this machine. `where` names the files in the errors. Throws UserError KUBE_PROXY where it
 * cannot be used.
 */
export function chooseProxy(
  cluster: Pick<KubeconfigCluster, 'server' | 'proxyUrl'>,
  env: Environment,
  where: string,
): string | undefined {
  const { server, proxyUrl } = cluster
  const chosen =
    proxyUrl === ''
      ? fromEnvironment(serverUrl(server), env)
      : checked(proxyUrl, { what: `the proxy-url of a cluster in ${where}`, known: ['http:', 'https:', 'socks5:'] })
  if (chosen !== undefined && !canTunnel(process.versions.node)) {
    throw new UserError(`the API server is behind a proxy, and Node ${process.versions.node} cannot use a proxy`, {
      code: 'KUBE_PROXY',
      fix: 'use Node 24.5 or later; or name the API server in $NO_PROXY',
    })
  }
  // As for Go, the proxy finds the name of the server.
  return chosen?.replace(/^socks5:/, 'socks5h:')
}

function fromEnvironment({ protocol, hostname, port }: URL, env: Environment): string | undefined {
  const name = ['HTTPS_PROXY', 'https_proxy'].find((variable) => env[variable])
  // Plain HTTP is only used on this machine, where no proxy is needed.
  if (name === undefined || protocol !== 'https:') return undefined
  const host = hostname.toLowerCase().replace(/^\[(.*)\]$/, '$1')
  const destination = { host, port: port || '443' }
  return bypassesProxy(destination, env.NO_PROXY || env.no_proxy || '')
    ? undefined
    : checked(withScheme(env[name] ?? ''), { what: `$${name}`, known: ['http:', 'https:', 'socks5:', 'socks5h:'] })
}

/** Before 24.5 an agent ignores its proxy settings, and connects to the server directly. */
export function canTunnel(nodeVersion: string): boolean {
  const [major = 0, minor = 0] = nodeVersion.split('.').map(Number)
  return major > 24 || (major === 24 && minor >= 5)
}

/** In the environment, one without a scheme is an HTTP proxy. */
const withScheme = (written: string): string => (written.includes('://') ? written : `http://${written}`)

/** A URL that cannot be used is not quoted: it may contain a password. */
function checked(url: string, { what, known }: { readonly what: string; readonly known: readonly string[] }): string {
  if (URL.canParse(url) && known.includes(new URL(url).protocol) && new URL(url).hostname !== '') return url
  throw new UserError(`${what} is not a usable proxy`, {
    code: 'KUBE_PROXY',
    fix: 'write http://HOST:PORT, https://HOST:PORT or socks5://HOST:PORT; or name the API server in $NO_PROXY',
  })
}

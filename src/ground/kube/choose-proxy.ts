import process from 'node:process'
import type { KubeConfig } from '@kubernetes/client-node/dist/config.js'
import { UserError } from '../model/user-error.ts'
import { bypassesProxy } from './bypasses-proxy.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/**
 * Chooses the proxy for the API server of the current context, as kubectl does: the kubeconfig's proxy-url, whatever $NO_PROXY
 * says; otherwise $HTTPS_PROXY, except for servers in $NO_PROXY and on this machine. `where` names the files in the errors.
 * Throws UserError KUBE_PROXY where the proxy cannot be used.
 */
export function chooseProxy(config: KubeConfig, env: Environment, where: string): void {
  const current = config.getCurrentCluster()
  if (current === null) return
  const proxyUrl = current.proxyUrl
    ? checked(current.proxyUrl, `the proxy-url of a cluster in ${where}`)
    : fromEnvironment(new URL(current.server), env)
  if (proxyUrl !== undefined && !canTunnel(process.versions.node)) {
    throw new UserError(`the API server is behind a proxy, and Node ${process.versions.node} cannot use a proxy`, {
      code: 'KUBE_PROXY',
      fix: 'use Node 24.5 or later; or name the API server in $NO_PROXY',
    })
  }
  config.clusters = config.clusters.map((cluster) => {
    if (cluster.name !== current.name) return cluster
    const { proxyUrl: _, ...direct } = cluster
    return proxyUrl === undefined ? direct : { ...direct, proxyUrl }
  })
}

function fromEnvironment({ protocol, hostname, port }: URL, env: Environment): string | undefined {
  const name = ['HTTPS_PROXY', 'https_proxy'].find((variable) => env[variable])
  // Plain HTTP is only used on this machine, where no proxy is needed.
  if (name === undefined || protocol !== 'https:') return undefined
  const host = hostname.toLowerCase().replace(/^\[(.*)\]$/, '$1')
  const destination = { host, port: port || '443' }
  return bypassesProxy(destination, env.NO_PROXY || env.no_proxy || '')
    ? undefined
    : checked(env[name] ?? '', `$${name}`)
}

const KNOWN = ['http:', 'https:', 'socks5:', 'socks5h:']

/** Before 24.5 an agent ignores its proxy settings, and connects to the server directly. */
export function canTunnel(nodeVersion: string): boolean {
  const [major = 0, minor = 0] = nodeVersion.split('.').map(Number)
  return major > 24 || (major === 24 && minor >= 5)
}

/** Without a scheme it is an HTTP proxy. A URL that cannot be used is not quoted: it may contain a password. */
function checked(written: string, what: string): string {
  const url = written.includes('://') ? written : `http://${written}`
  if (URL.canParse(url) && KNOWN.includes(new URL(url).protocol) && new URL(url).hostname !== '') return url
  throw new UserError(`${what} is not a usable proxy`, {
    code: 'KUBE_PROXY',
    fix: 'write http://HOST:PORT, https://HOST:PORT or socks5://HOST:PORT; or name the API server in $NO_PROXY',
  })
}

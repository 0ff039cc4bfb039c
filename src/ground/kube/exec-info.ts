import { readFileSync } from 'node:fs'
import type { KubeconfigCluster, KubeconfigPlugin } from './kubeconfig-file.ts'

/** What a plugin reads in its environment (client.authentication.k8s.io, ExecCredential). */
export function execInfo({ apiVersion, isGivenCluster }: KubeconfigPlugin, cluster: KubeconfigCluster): string {
  const given = isGivenCluster ? { cluster: clusterInfo(cluster) } : {}
  return JSON.stringify({ kind: 'ExecCredential', apiVersion, spec: { ...given, interactive: false } })
}

function clusterInfo(cluster: KubeconfigCluster): Readonly<Record<string, unknown>> {
  const { server, tlsServerName, isUnchecked, caFile, caData, proxyUrl, compressesNothing, pluginConfig } = cluster
  const fields = {
    server: serverText(server),
    'tls-server-name': tlsServerName,
    'insecure-skip-tls-verify': isUnchecked,
    'certificate-authority-data': caFile === '' ? caData : readFileSync(caFile).toString('base64'),
    'proxy-url': proxyUrl,
    'disable-compression': compressesNothing,
  }
  const written = Object.entries(fields).filter(([, value]) => value !== '' && value !== false)
  // It is there even where it says nothing.
  return { ...Object.fromEntries(written), config: pluginConfig ?? null }
}

/** With a path it is as client-go writes it anew; without one, as it was written. */
function serverText(server: string): string {
  const url = new URL(server)
  return url.pathname.length > 1 ? `${url.origin}${url.pathname}` : server
}

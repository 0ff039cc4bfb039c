import { readFileSync } from 'node:fs'
import type { Cluster } from '@kubernetes/client-node/dist/config_types.js'
import { present } from '../model/present.ts'

/** The fields of a user's `exec` entry that are used here. */
export interface ExecPlugin {
  readonly apiVersion?: string
  readonly command: string
  readonly env?: readonly { readonly name: string; readonly value: string }[] | null
  readonly provideClusterInfo?: boolean
}

/** Adds the variable KUBERNETES_EXEC_INFO, which plugins may rely on (client.authentication.k8s.io, ExecCredential). */
export function withExecInfo(plugin: ExecPlugin, cluster: Cluster): ExecPlugin {
  const info = {
    apiVersion: plugin.apiVersion ?? 'client.authentication.k8s.io/v1',
    kind: 'ExecCredential',
    spec: { interactive: false, ...present({ cluster: plugin.provideClusterInfo ? clusterInfo(cluster) : undefined }) },
  }
  return { ...plugin, env: [...(plugin.env ?? []), { name: 'KUBERNETES_EXEC_INFO', value: JSON.stringify(info) }] }
}

function clusterInfo(cluster: Cluster) {
  const caData = cluster.caFile === undefined ? cluster.caData : readFileSync(cluster.caFile).toString('base64')
  return {
    server: cluster.server,
    ...present({
      'certificate-authority-data': caData,
      'tls-server-name': cluster.tlsServerName,
      'insecure-skip-tls-verify': cluster.skipTLSVerify || undefined,
      'proxy-url': cluster.proxyUrl,
    }),
  }
}

import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { NOBODY, type UsedContext } from './choose-context.ts'
import type { Environment } from './choose-proxy.ts'
import { SERVICE_ACCOUNT_TOKEN } from './kubeconfig-paths.ts'

const FOLDER = dirname(SERVICE_ACCOUNT_TOKEN)

/** What the kubelet gives to a pod: the API server in the environment, and the files of its service account. */
export function podsContext({
  KUBERNETES_SERVICE_HOST: host = '',
  KUBERNETES_SERVICE_PORT: port = '443',
}: Environment): UsedContext {
  const server = `https://${host.includes(':') ? `[${host}]` : host}:${port}`
  const none = { tlsServerName: '', isUnchecked: false, caData: '', proxyUrl: '', compressesNothing: false }
  return {
    ...{ name: 'in-cluster', clusterName: 'in-cluster', userName: 'in-cluster', namespace: namespaceOfPod() },
    cluster: { ...none, server, caFile: join(FOLDER, 'ca.crt'), pluginConfig: undefined },
    user: { ...NOBODY, tokenFile: SERVICE_ACCOUNT_TOKEN },
  }
}

function namespaceOfPod(): string {
  try {
    return readFileSync(join(FOLDER, 'namespace'), 'utf8')
  } catch {
    return ''
  }
}

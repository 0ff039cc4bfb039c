import type { Untrusted } from '../model/untrusted.ts'
import type { ApiClient } from './api-client.ts'
import { askObject } from './api-object.ts'

/** The uid of namespace kube-system, which lives as long as the cluster does, and the server's version. */
export async function identity(
  client: ApiClient,
  signal: AbortSignal,
): Promise<{ readonly uid: string; readonly version: string }> {
  const namespace = { verb: 'get', resource: 'namespaces', path: '/api/v1/namespaces/kube-system' } as const
  const uidOf = (object: Untrusted) => object.at('metadata').at('uid').text()
  const uid = await askObject(client, { call: namespace, parse: uidOf }, signal)
  return { uid, version: await serverVersion(client, signal) }
}

/** Every identity may ask for it (ClusterRole system:public-info-viewer). */
export function serverVersion(client: ApiClient, signal: AbortSignal): Promise<string> {
  const call = { verb: 'get', resource: '/version', path: '/version' } as const
  return askObject(client, { call, parse: (object) => object.at('gitVersion').text() }, signal)
}

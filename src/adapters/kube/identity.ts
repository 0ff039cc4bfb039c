import type { ApiClient } from './api-client.ts'
import { askObject } from './api-object.ts'
import type { Untrusted } from './untrusted.ts'

/** The uid of namespace kube-system, which lives as long as the cluster does, and the server's version. */
export async function identity(
  client: ApiClient,
  signal: AbortSignal,
): Promise<{ readonly uid: string; readonly version: string }> {
  const namespace = { verb: 'get', resource: 'namespaces', path: '/api/v1/namespaces/kube-system' } as const
  const uidOf = (object: Untrusted) => object.at('metadata').at('uid').text()
  const uid = await askObject(client, { call: namespace, parse: uidOf }, signal)
  const versionOf = (object: Untrusted) => object.at('gitVersion').text()
  const call = { verb: 'get', resource: '/version', path: '/version' } as const
  return { uid, version: await askObject(client, { call, parse: versionOf }, signal) }
}

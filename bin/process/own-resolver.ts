import { readFile } from 'node:fs/promises'
import { type PodResolver, resolverOfPod } from '../../src/dns/decide/pod-resolver.ts'

const RESOLV_CONF = '/etc/resolv.conf'

/**
 * The DNS server of this process, if it runs in a pod: elsewhere resolv.conf names another DNS. Undefined where it cannot be
 * read.
 */
export async function ownResolver(env: Readonly<Record<string, string | undefined>>): Promise<PodResolver | undefined> {
  // kubelet sets it in every pod.
  if (env.KUBERNETES_SERVICE_HOST === undefined) return undefined
  try {
    return resolverOfPod(await readFile(RESOLV_CONF, 'utf8'))
  } catch (error) {
    if (error instanceof Error && 'code' in error) return undefined
    throw error
  }
}

import type { Clock } from '../ports/clock.ts'
import { Credentials } from './credentials.ts'
import type { KubeconfigSource } from './load-kubeconfig.ts'
import { PinnedKubeconfig } from './pinned-kubeconfig.ts'

/** Credentials of a kubeconfig, whose reader is large: only for programs outside of a cluster. */
export async function kubeconfigCredentials(source: KubeconfigSource, clock: Clock): Promise<Credentials> {
  return new Credentials(await PinnedKubeconfig.read(source, clock), clock)
}

import type { Clock } from '../../ports/clock.ts'
import type { Cluster } from '../../ports/cluster.ts'
import type { Log } from '../../ports/log.ts'
import type { Random } from '../../ports/random.ts'
import { ApiClient } from './api-client.ts'
import { ApiReach } from './api-reach.ts'
import type { Environment } from './choose-proxy.ts'
import { checkClientCertificate } from './client-certificate.ts'
import { connectionAdvice } from './connection-advice.ts'
import { Credentials } from './credentials.ts'
import { kubeCluster } from './kube-cluster.ts'
import { kubeconfigPaths } from './kubeconfig-paths.ts'
import { PinnedKubeconfig } from './pinned-kubeconfig.ts'

interface ClusterOptions {
  /** A file, or several as $KUBECONFIG writes them. Absent: ~/.kube/config, else the service account of the pod we run in. */
  readonly kubeconfigPath?: string | undefined
  readonly context?: string | undefined
  /** Of the process, for the proxy that it names. */
  readonly env: Environment
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly userAgent: string
}

/**
 * A cluster that has been asked once, so that what is wrong with the input is found here. Rejects with UserError
 * KUBECONFIG_MISSING, KUBECONFIG_BROKEN, KUBECONFIG_NO_CONTEXT, KUBE_PROXY, KUBE_CERTIFICATE_EXPIRED,
 * KUBE_UNREACHABLE, KUBE_UNTRUSTED, KUBE_TIMEOUT, KUBE_UNAUTHORIZED, KUBE_FORBIDDEN; with WorldError where the server itself is unwell.
 */
export async function openCluster(options: ClusterOptions, signal: AbortSignal): Promise<Cluster> {
  const { clock, random, log, userAgent } = options
  const paths = kubeconfigPaths(options.kubeconfigPath)
  const kubeconfig = await PinnedKubeconfig.read({ paths, context: options.context, env: options.env }, clock)
  const credentials = new Credentials(kubeconfig, clock)
  const client = new ApiClient({ credentials, clock, userAgent })
  const cluster = kubeCluster({ client, reach: new ApiReach(clock), clock, random, log }, kubeconfig.server)
  try {
    const { clientCertificate } = await credentials.current(signal)
    if (clientCertificate !== undefined) checkClientCertificate(clientCertificate, clock.wallMs())
    await cluster.identity(signal)
    return cluster
  } catch (error) {
    throw connectionAdvice(error)
  }
}

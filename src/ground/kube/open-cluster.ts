import type { Endpoint } from '../model/endpoint.ts'
import { present } from '../model/present.ts'
import type { ClusterContext } from '../model/run-origin.ts'
import type { Clock } from '../ports/clock.ts'
import type { Cluster } from '../ports/cluster.ts'
import type { Log } from '../ports/log.ts'
import type { Random } from '../ports/random.ts'
import { ApiClient } from './api-client.ts'
import { ApiReach } from './api-reach.ts'
import type { Environment } from './choose-proxy.ts'
import { checkClientCertificate } from './client-certificate.ts'
import { connectionAdvice } from './connection-advice.ts'
import { Credentials } from './credentials.ts'
import type { FollowParts } from './follow.ts'
import { identity, serverVersion } from './identity.ts'
import { kubeCluster } from './kube-cluster.ts'
import { kubeconfigPaths } from './kubeconfig-paths.ts'
import { PinnedKubeconfig } from './pinned-kubeconfig.ts'

interface ClusterOptions {
  /** A file, or several as in $KUBECONFIG. Absent: ~/.kube/config, else the service account of the pod that we run in. */
  readonly kubeconfigPath?: string | undefined
  readonly context?: string | undefined
  /** The environment of the process, which may name a proxy. */
  readonly env: Environment
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly userAgent: string
}

/** A connection to the API server, and the parts that watches need. */
interface OpenApi {
  readonly parts: FollowParts
  readonly server: Endpoint
  /** The namespace of the context, as kubectl uses it; absent where it names none. */
  readonly namespace?: string
  /** The name of the context's user in the kubeconfig; absent where it names none. */
  readonly user?: string
  readonly context: ClusterContext
}

/** Makes one request, so that wrong input is found at the start. */
type FirstCall = (client: ApiClient, signal: AbortSignal) => Promise<unknown>

/** The API server of a cluster. Needs no right. Rejects as `openCluster` does. */
export const openApi = (options: ClusterOptions, signal: AbortSignal): Promise<OpenApi> =>
  open(options, serverVersion, signal)

/**
 * The port's methods over the API server of a cluster. Needs the right to get namespace kube-system. Rejects with UserError
 * KUBECONFIG_MISSING, KUBECONFIG_BROKEN, KUBECONFIG_NO_CONTEXT, KUBE_PROXY, KUBE_CERTIFICATE_EXPIRED, KUBE_UNREACHABLE,
 * KUBE_UNTRUSTED, KUBE_TIMEOUT, KUBE_UNAUTHORIZED, KUBE_FORBIDDEN; with WorldError where the server itself has a fault.
 */
export const openCluster = async (options: ClusterOptions, signal: AbortSignal): Promise<Cluster> =>
  (await openClusterApi(options, signal)).cluster

/** The same, with the parts that other requests to that server need. */
export async function openClusterApi(
  options: ClusterOptions,
  signal: AbortSignal,
): Promise<{ readonly cluster: Cluster; readonly parts: FollowParts; readonly context: ClusterContext }> {
  const { parts, server, context } = await open(options, identity, signal)
  return { cluster: kubeCluster(parts, server), parts, context }
}

async function open(options: ClusterOptions, firstCall: FirstCall, signal: AbortSignal): Promise<OpenApi> {
  const { clock, random, log, userAgent } = options
  const paths = kubeconfigPaths(options.kubeconfigPath)
  const kubeconfig = await PinnedKubeconfig.read({ paths, context: options.context, env: options.env }, clock)
  const credentials = new Credentials(kubeconfig, clock)
  const client = new ApiClient({ credentials, clock, userAgent })
  try {
    const { clientCertificate } = await credentials.current(signal)
    if (clientCertificate !== undefined) checkClientCertificate(clientCertificate, clock.wallMs())
    await firstCall(client, signal)
    const { server, namespace, user, context } = kubeconfig
    const parts = { client, reach: new ApiReach(clock), clock, random, log }
    return {
      ...{ parts, server, context },
      ...present({ namespace, user }),
    }
  } catch (error) {
    credentials.close()
    throw connectionAdvice(error)
  }
}

import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'
import type { KubeConfig } from '@kubernetes/client-node/dist/config.js'
import { UserError } from '../../model/user-error.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Cluster } from '../../ports/cluster.ts'
import type { Log } from '../../ports/log.ts'
import type { Random } from '../../ports/random.ts'
import { ApiClient } from './api-client.ts'
import { checkClientCertificate } from './client-certificate.ts'
import { connectionAdvice } from './connection-advice.ts'
import { Credentials } from './credentials.ts'
import { limitExecPlugin } from './exec-plugin.ts'
import { kubeCluster } from './kube-cluster.ts'
import { type KubeconfigSource, loadKubeconfig } from './load-kubeconfig.ts'

const SERVICE_ACCOUNT_TOKEN = '/var/run/secrets/kubernetes.io/serviceaccount/token'

export interface ClusterOptions {
  /** A file, or several as $KUBECONFIG writes them. Absent: ~/.kube/config, else the service account of the pod we run in. */
  readonly kubeconfigPath?: string | undefined
  readonly context?: string | undefined
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly userAgent: string
}

/**
 * A cluster that has been asked once, so that what is wrong with the input is found here. Rejects with UserError
 * KUBECONFIG_MISSING, KUBECONFIG_BROKEN, KUBECONFIG_NO_CONTEXT, KUBE_CERTIFICATE_EXPIRED, KUBE_UNREACHABLE,
 * KUBE_UNTRUSTED, KUBE_TIMEOUT, KUBE_UNAUTHORIZED, KUBE_FORBIDDEN; with WorldError where the server itself is unwell.
 */
export async function openCluster(options: ClusterOptions, signal: AbortSignal): Promise<Cluster> {
  const { clock, random, log, userAgent } = options
  const source: KubeconfigSource = { paths: kubeconfigPaths(options.kubeconfigPath), context: options.context }
  const load = async (): Promise<KubeConfig> => {
    const config = await loadKubeconfig(source)
    await limitExecPlugin(config, clock)
    return config
  }
  const credentials = new Credentials(load, await load())
  const client = new ApiClient({ credentials, clock, userAgent })
  const cluster = kubeCluster({ client, clock, random, log })
  try {
    const { clientCertificate } = await credentials.current(signal)
    if (clientCertificate !== undefined) checkClientCertificate(clientCertificate, clock.wallMs())
    await cluster.identity(signal)
    return cluster
  } catch (error) {
    throw connectionAdvice(error)
  }
}

function kubeconfigPaths(written: string | undefined): readonly string[] {
  const named = (written ?? '').split(delimiter).filter((path) => path !== '')
  if (named.length > 0) return named
  const usual = join(homedir(), '.kube', 'config')
  if (existsSync(usual)) return [usual]
  if (existsSync(SERVICE_ACCOUNT_TOKEN)) return []
  throw new UserError(`there is no kubeconfig ${usual}, and this is no pod of a cluster`, {
    code: 'KUBECONFIG_MISSING',
    fix: 'name the file with --kubeconfig or $KUBECONFIG',
  })
}

import process from 'node:process'
import type { Credentials } from '../../src/ground/kube/credentials.ts'
import { ServiceAccount } from '../../src/ground/kube/service-account.ts'
import { systemClock as clock } from '../../src/ground/machine/system-clock.ts'
import { UserError } from '../../src/ground/model/user-error.ts'
import { SERVICE_ACCOUNT } from './own-namespace.ts'

type ApiCredentials = Pick<Credentials, 'current' | 'accept' | 'drop'>

/** By a kubeconfig, else as the pod that this is. Rejects with UserError `code` where it is none. */
export async function apiCredentials(kubeconfig: string | undefined, code: string): Promise<ApiCredentials> {
  if (kubeconfig !== undefined) {
    const { kubeconfigCredentials } = await import('../../src/ground/kube/kubeconfig-credentials.ts')
    return kubeconfigCredentials({ paths: [kubeconfig], context: undefined, env: process.env }, clock)
  }
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = process.env
  if (host === undefined || port === undefined) {
    throw new UserError('there is no API server to ask: this process does not run in a pod', {
      code,
      fix: 'run it in the cluster, or give --kubeconfig',
    })
  }
  const server = new URL(`https://${host.includes(':') ? `[${host}]` : host}:${port}`)
  return new ServiceAccount({ server, directory: SERVICE_ACCOUNT })
}

import { ApiClient } from '../../src/adapters/kube/api-client.ts'
import { ApiReach } from '../../src/adapters/kube/api-reach.ts'
import { connectionAdvice } from '../../src/adapters/kube/connection-advice.ts'
import { serverVersion } from '../../src/adapters/kube/identity.ts'
import { systemClock as clock } from '../../src/adapters/node/system-clock.ts'
import { systemRandom as random } from '../../src/adapters/node/system-random.ts'
import { apiCredentials } from '../process/api-credentials.ts'
import type { OpenDnsApi } from './dns-actions.ts'

/** By the service account of the pod that this is; the downward API tells its node. Rejects as `kubeconfigApi` does. */
export const podApi: OpenDnsApi = async ({ kubeconfig }, { version, env, log }, signal) => {
  const credentials = await apiCredentials(kubeconfig, 'DNS_OPTIONS')
  const client = new ApiClient({ credentials, clock, userAgent: `evenkeel/${version}` })
  try {
    await serverVersion(client, signal)
  } catch (error) {
    throw connectionAdvice(error)
  }
  const node = env.NODE_NAME
  return { client, reach: new ApiReach(clock), clock, random, log, ...(node === undefined ? {} : { node }) }
}

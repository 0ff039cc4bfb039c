import { ApiClient } from '../../src/ground/kube/api-client.ts'
import { ApiReach } from '../../src/ground/kube/api-reach.ts'
import { connectionAdvice } from '../../src/ground/kube/connection-advice.ts'
import { serverVersion } from '../../src/ground/kube/identity.ts'
import { systemClock as clock } from '../../src/ground/machine/system-clock.ts'
import { systemRandom as random } from '../../src/ground/machine/system-random.ts'
import { present } from '../../src/ground/model/present.ts'
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
  return { client, reach: new ApiReach(clock), clock, random, log, ...present({ node }) }
}

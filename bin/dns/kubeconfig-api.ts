import { openApi } from '../../src/ground/kube/open-cluster.ts'
import { systemClock as clock } from '../../src/ground/machine/system-clock.ts'
import { systemRandom as random } from '../../src/ground/machine/system-random.ts'
import type { OpenDnsApi } from './dns-actions.ts'

/** As kubectl finds it. Rejects as `openApi` does. */
export const kubeconfigApi: OpenDnsApi = async ({ kubeconfig, context }, { version, env, log }, signal) => {
  const kubeconfigPath = kubeconfig ?? env.KUBECONFIG
  const userAgent = `evenkeel/${version}`
  return (await openApi({ kubeconfigPath, context, env, clock, random, log, userAgent }, signal)).parts
}

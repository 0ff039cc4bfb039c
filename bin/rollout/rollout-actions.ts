import { kubeCluster } from '../../src/ground/kube/kube-cluster.ts'
import { kubeObjects } from '../../src/ground/kube/kube-objects.ts'
import { openApi } from '../../src/ground/kube/open-cluster.ts'
import { systemClock as clock } from '../../src/ground/machine/system-clock.ts'
import { systemRandom as random } from '../../src/ground/machine/system-random.ts'
import type { RolloutActions } from '../../src/ingress/cli/sub-command.ts'
import type { RollSurroundings } from '../roll/world.ts'

/** The default of kubectl, where the context names none. */
const NAMESPACE = 'default'

/** What `evenkeel rollout` does, on the cluster of a kubeconfig. */
export const rolloutActions = ({ version, env, log }: RollSurroundings): RolloutActions => ({
  open: async ({ kubeconfig, context }, signal) => {
    const kubeconfigPath = kubeconfig ?? env.KUBECONFIG
    const userAgent = `evenkeel/${version}`
    const api = await openApi({ kubeconfigPath, context, env, clock, random, log, userAgent }, signal)
    const { parts, server, namespace = NAMESPACE } = api
    return { objects: kubeObjects(parts), cluster: kubeCluster(parts, server), namespace }
  },
})

import { kubeCluster } from '../../src/adapters/kube/kube-cluster.ts'
import { kubeObjects } from '../../src/adapters/kube/kube-objects.ts'
import { openApi } from '../../src/adapters/kube/open-cluster.ts'
import { systemClock as clock } from '../../src/adapters/node/system-clock.ts'
import { systemRandom as random } from '../../src/adapters/node/system-random.ts'
import type { GuardActions } from '../../src/cli/guard/sub-command.ts'
import type { RollSurroundings } from '../roll/world.ts'

/** As kubectl, where the context names none. */
const NAMESPACE = 'default'

/** What `evenkeel guard` does, on the cluster of a kubeconfig. */
export const guardActions = ({ version, env, log }: RollSurroundings): GuardActions => ({
  open: async ({ kubeconfig, context }, signal) => {
    const kubeconfigPath = kubeconfig ?? env.KUBECONFIG
    const userAgent = `evenkeel/${version}`
    const api = await openApi({ kubeconfigPath, context, env, clock, random, log, userAgent }, signal)
    const { parts, server, namespace = NAMESPACE, user } = api
    const way = { objects: kubeObjects(parts), cluster: kubeCluster(parts, server), namespace }
    return user === undefined ? way : { ...way, user }
  },
})

import { kubeConfigMaps } from '../../src/adapters/kube/kube-config-maps.ts'
import type { RollRequest } from '../../src/cli/roll-actions.ts'
import { prepare } from '../../src/controllers/roll/prepare.ts'
import type { RollPlan } from '../../src/model/roll-plan.ts'
import { hostOf } from './host.ts'
import { balancersOf, clusterOf, endpointsOf, type RollSurroundings } from './world.ts'

/** Asks the cluster, balancers and machines, and closes the connections. */
export async function makePlan(
  request: RollRequest,
  surroundings: RollSurroundings,
  signal: AbortSignal,
): Promise<RollPlan> {
  const { spec } = request
  const { cluster, api } = await clusterOf(request, surroundings, signal)
  const balancers = balancersOf(spec)
  const host = hostOf(spec)
  try {
    const clusterName = request.context ?? spec.name
    const asked = [...balancers, ...endpointsOf(spec, cluster)]
    return await prepare(
      { spec, clusterName, cluster, configMaps: kubeConfigMaps(api.client), balancers: asked, host },
      signal,
    )
  } finally {
    await Promise.all([...balancers.map((balancer) => balancer.close()), host.close()])
  }
}

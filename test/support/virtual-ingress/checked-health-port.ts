import { ingressAnswer } from '../../../src/agent/decide/ingress-answer.ts'
import { deploymentsOf } from '../../../src/agent/run/ingress-deployments.ts'
import { Untrusted } from '../../../src/ground/model/untrusted.ts'
import type { VirtualCluster } from '../../../src/sim/cluster/virtual-cluster.ts'
import { DEPLOYMENTS, NODES } from '../../../src/sim/world/api-resource.ts'

/** What a pod of the health checker would answer on the node of that address, by the Deployments as they stand in the world. */
export function checkedHealthPort({ world: { store } }: VirtualCluster, address: string): 'up' | 'out' {
  const node = [...store.all(NODES)].find((one) => JSON.stringify(one.status ?? {}).includes(`"address":"${address}"`))
  const told = [...store.all(DEPLOYMENTS)].map((one) => deploymentsOf('').kind.parse(new Untrusted(one, 'deployment')))
  const here = told.find((one) => one.node === node?.metadata.name)
  const isUp = here !== undefined && ingressAnswer({ answer: 'up', reasons: [] }, here).answer === 'up'
  return isUp ? 'up' : 'out'
}

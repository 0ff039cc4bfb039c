import { resolve } from 'node:path'
import { kubeCluster } from '../../src/adapters/kube/kube-cluster.ts'
import { openApi } from '../../src/adapters/kube/open-cluster.ts'
import { existing, placeFiles } from '../../src/adapters/node/place-files.ts'
import { systemClock as clock } from '../../src/adapters/node/system-clock.ts'
import { systemRandom as random } from '../../src/adapters/node/system-random.ts'
import type { ClusterPart, InitActions } from '../../src/cli/init/init-actions.ts'
import type { Found } from '../../src/core/doctor/doctor-facts.ts'
import type { Workload } from '../../src/model/workload.ts'
import type { Kind, KindMap } from '../../src/ports/cluster.ts'
import { attempt } from '../doctor/attempt.ts'
import type { RollSurroundings } from '../roll/world.ts'
import { lookAtBalancers } from './look-at-balancers.ts'

/** A list of all pods of a large cluster takes its time. */
const LIST_LIMIT_MS = 60_000

/** What `evenkeel init` reads and writes. It writes files of this machine alone. */
export const initActions = ({ env, version, log }: RollSurroundings): InitActions => ({
  lookAtCluster: async (place, signal): Promise<ClusterPart> => {
    const kubeconfigPath = place.kubeconfig ?? env.KUBECONFIG
    const userAgent = `evenkeel/${version}`
    const options = { kubeconfigPath, context: place.context, env, clock, random, log, userAgent }
    const { parts, server, context } = await openApi(options, signal)
    const cluster = kubeCluster(parts, server)
    const list = <K extends Kind>(kind: K): Promise<Found<readonly KindMap[K][]>> =>
      attempt(signal, (limited) => cluster.list(kind, limited), LIST_LIMIT_MS)
    const [nodes, pods, services, slices, budgets, ...workloads] = await Promise.all([
      list('nodes'),
      list('placedpods'),
      list('services'),
      list('endpointslices'),
      list('disruptionbudgets'),
      list('deployments'),
      list('replicasets'),
      list('daemonsets'),
    ])
    return { context, apiServer: server, nodes, pods, services, slices, budgets, workloads: joined(workloads) }
  },
  lookAtBalancers,
  whichExist: existing,
  place: (files, { replace }) => placeFiles(files, { replace, random }),
  absolute: (path) => resolve(path),
})

/** One list that may not be read makes all of them doubtful. */
function joined(lists: readonly Found<readonly Workload[]>[]): Found<readonly Workload[]> {
  const failed = lists.find(({ is }) => is === 'failed')
  if (failed?.is === 'failed') return failed
  return { is: 'found', value: lists.flatMap((list) => (list.is === 'found' ? list.value : [])) }
}

import { resolve } from 'node:path'
import type { ClusterPart, InitActions, InitPlace } from '../../src/explain/cli/init/init-actions.ts'
import type { Found } from '../../src/explain/decide/doctor/doctor-snapshot.ts'
import { existing, placeFiles } from '../../src/explain/io/place-files.ts'
import { kubeCluster } from '../../src/ground/kube/kube-cluster.ts'
import { kubeObjects } from '../../src/ground/kube/kube-objects.ts'
import { openApi } from '../../src/ground/kube/open-cluster.ts'
import { systemClock as clock } from '../../src/ground/machine/system-clock.ts'
import { systemRandom as random } from '../../src/ground/machine/system-random.ts'
import { type KuredSettings, kuredSettings } from '../../src/ground/model/kured-settings.ts'
import type { ObjectKind } from '../../src/ground/model/object-kind.ts'
import type { Workload } from '../../src/ground/model/workload.ts'
import type { Kind, KindMap } from '../../src/ground/ports/cluster.ts'
import { attempt } from '../doctor/attempt.ts'
import type { RollSurroundings } from '../roll/world.ts'
import { readBalancers } from './read-balancers.ts'

/** A list of all pods of a large cluster takes its time. */
const LIST_LIMIT_MS = 60_000

/** What `evenkeel init` reads and writes. It writes files of this machine alone. */
export const initActions = (surroundings: RollSurroundings): InitActions => ({
  readCluster: async (place, signal): Promise<ClusterPart> => {
    const { parts, server, context } = await openApi(optionsOf(surroundings, place), signal)
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
  findKured: async (place, signal) => {
    const { parts } = await openApi(optionsOf(surroundings, place), signal)
    const found = await kubeObjects(parts).list({ kind: KURED }, signal)
    return found.flatMap(({ kured }) => (kured === undefined ? [] : [kured]))
  },
  readBalancers,
  whichExist: existing,
  place: (files, { replace }) => placeFiles(files, { replace, random }),
  absolute: (path) => resolve(path),
})

const optionsOf = ({ env, version, log }: RollSurroundings, { kubeconfig, context }: InitPlace) => ({
  ...{ kubeconfigPath: kubeconfig ?? env.KUBECONFIG, context, env },
  ...{ clock, random, log, userAgent: `evenkeel/${version}` },
})

/** DaemonSets, of which those of kured are kept. */
const KURED: ObjectKind<{ readonly kured?: KuredSettings }> = {
  group: 'apps',
  version: 'v1',
  resource: 'daemonsets',
  kind: 'DaemonSet',
  namespaced: true,
  parse: (object) => {
    const kured = kuredSettings(object)
    return kured === undefined ? {} : { kured }
  },
}

/** One list that may not be read makes all of them doubtful. */
function joined(lists: readonly Found<readonly Workload[]>[]): Found<readonly Workload[]> {
  const failed = lists.find(({ is }) => is === 'failed')
  if (failed?.is === 'failed') return failed
  return { is: 'found', value: lists.flatMap((list) => (list.is === 'found' ? list.value : [])) }
}

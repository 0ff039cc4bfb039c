import { homedir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import type { FollowParts } from '../../src/ground/kube/follow.ts'
import { kubeconfigPaths } from '../../src/ground/kube/kubeconfig-paths.ts'
import { openClusterApi } from '../../src/ground/kube/open-cluster.ts'
import { systemClock } from '../../src/ground/machine/system-clock.ts'
import { systemRandom } from '../../src/ground/machine/system-random.ts'
import type { ClusterContext } from '../../src/ground/model/run-origin.ts'
import type { Cluster } from '../../src/ground/ports/cluster.ts'
import type { Log } from '../../src/ground/ports/log.ts'
import type { RollPlace } from '../../src/roll/cli/roll-actions.ts'
import { FileJournalStore } from '../../src/roll/io/file-journal-store.ts'
import type { RememberedPlace } from '../../src/roll/run/remembered-place.ts'

export interface RollSurroundings {
  readonly version: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly log: Log
}

/** `$XDG_STATE_HOME/evenkeel`, else `~/.local/state/evenkeel` (XDG Base Directory Specification). */
export function journals(place: RollPlace, { env }: RollSurroundings): FileJournalStore {
  const stateHome = env.XDG_STATE_HOME ?? ''
  const home = stateHome === '' ? join(homedir(), '.local', 'state') : stateHome
  return new FileJournalStore(place.stateDir ?? join(home, 'evenkeel'))
}

export interface ClusterPlace {
  readonly cluster: Cluster
  readonly api: FollowParts
  readonly uid: string
  readonly context: ClusterContext
  /** The way to the cluster, for a later command. */
  readonly remembered: RememberedPlace
}

export async function clusterOf(
  place: RollPlace,
  { env, version, log }: RollSurroundings,
  signal: AbortSignal,
): Promise<ClusterPlace> {
  const kubeconfigPath = place.kubeconfig ?? env.KUBECONFIG
  const {
    cluster,
    parts: api,
    context,
  } = await openClusterApi(
    {
      kubeconfigPath,
      context: place.context,
      env,
      clock: systemClock,
      random: systemRandom,
      log,
      userAgent: `evenkeel/${version}`,
    },
    signal,
  )
  const { uid } = await cluster.identity(signal)
  const kubeconfig = kubeconfigPaths(kubeconfigPath)
    .map((path) => resolve(path))
    .join(delimiter)
  const remembered = { context: context.context, ...(kubeconfig === '' ? {} : { kubeconfig }) }
  return { cluster, api, uid, context, remembered }
}

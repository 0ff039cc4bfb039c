import { homedir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import type { FollowParts } from '../../src/ground/kube/follow.ts'
import { kubeconfigPaths } from '../../src/ground/kube/kubeconfig-paths.ts'
import { readLease, removeLease, writeLease } from '../../src/ground/kube/lease-store.ts'
import { openApi, openClusterApi } from '../../src/ground/kube/open-cluster.ts'
import { systemClock } from '../../src/ground/machine/system-clock.ts'
import { systemRandom } from '../../src/ground/machine/system-random.ts'
import type { ClusterContext } from '../../src/ground/model/run-origin.ts'
import type { Cluster } from '../../src/ground/ports/cluster.ts'
import type { Log } from '../../src/ground/ports/log.ts'
import type { RollPlace } from '../../src/roll/cli/roll-actions.ts'
import { ConfigMapJournalStore } from '../../src/roll/io/config-map-journal-store.ts'
import { FileJournalStore } from '../../src/roll/io/file-journal-store.ts'
import { objectName } from '../../src/roll/io/journal-segments.ts'
import { journalPlace } from '../../src/roll/model/journal-place.ts'
import type { JournalStore } from '../../src/roll/ports/journal.ts'
import { LeaseLocks } from '../../src/roll/run/lease-locks.ts'
import type { RememberedPlace } from '../../src/roll/run/remembered-place.ts'

export interface RollSurroundings {
  readonly version: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly log: Log
}

/**
 * `$XDG_STATE_HOME/evenkeel`, else `~/.local/state/evenkeel` (XDG Base Directory Specification). With `configmaps:NAMESPACE` they are in
 * the cluster, which is asked at the first use.
 */
export function journals(place: RollPlace, surroundings: RollSurroundings): JournalStore {
  const stateHome = surroundings.env.XDG_STATE_HOME ?? ''
  const home = stateHome === '' ? join(homedir(), '.local', 'state') : stateHome
  const at = journalPlace(place.stateDir ?? join(home, 'evenkeel'))
  if (at.kind === 'directory') return new FileJournalStore(at.path)
  return configMapJournals(at.namespace, async () => (await openApi(optionsOf(place, surroundings), NEVER)).parts)
}

/** `open`: the way to the cluster, asked for at the first use. */
export const configMapJournals = (
  namespace: string,
  open: () => Promise<Pick<FollowParts, 'client' | 'clock' | 'random' | 'log'>>,
): JournalStore =>
  new ConfigMapJournalStore(namespace, async () => {
    const { client, clock, random, log } = await open()
    const locks = new LeaseLocks({
      cluster: {
        readLease: (ref, signal) => readLease(client, ref, signal),
        writeLease: (lease, signal) => writeLease(client, lease, signal),
      },
      removeLease: (ref, signal) => removeLease(client, ref, signal),
      refOf: (run) => ({ namespace, name: objectName(run) }),
      ...{ clock, random, log },
    })
    return { ...{ client, clock, random, log, namespace }, locks }
  })

/** A journal is written to the end of a roll, whatever interrupts it. */
const NEVER = new AbortController().signal

export interface ClusterPlace {
  readonly cluster: Cluster
  readonly api: FollowParts
  readonly uid: string
  readonly context: ClusterContext
  /** The way to the cluster, for a later command. */
  readonly remembered: RememberedPlace
}

const optionsOf = ({ kubeconfig, context }: RollPlace, { env, version, log }: RollSurroundings) => ({
  ...{ kubeconfigPath: kubeconfig ?? env.KUBECONFIG, context, env, log },
  ...{ clock: systemClock, random: systemRandom, userAgent: `evenkeel/${version}` },
})

export async function clusterOf(
  place: RollPlace,
  surroundings: RollSurroundings,
  signal: AbortSignal,
): Promise<ClusterPlace> {
  const options = optionsOf(place, surroundings)
  const { kubeconfigPath } = options
  const { cluster, parts: api, context } = await openClusterApi(options, signal)
  const { uid } = await cluster.identity(signal)
  const kubeconfig = kubeconfigPaths(kubeconfigPath)
    .map((path) => resolve(path))
    .join(delimiter)
  const remembered = { context: context.context, ...(kubeconfig === '' ? {} : { kubeconfig }) }
  return { cluster, api, uid, context, remembered }
}

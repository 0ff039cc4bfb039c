import { homedir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import type { FollowParts } from '../../src/ground/kube/follow.ts'
import { kubeconfigPaths } from '../../src/ground/kube/kubeconfig-paths.ts'
import { openClusterApi } from '../../src/ground/kube/open-cluster.ts'
import { systemClock } from '../../src/ground/machine/system-clock.ts'
import { systemRandom } from '../../src/ground/machine/system-random.ts'
import { present } from '../../src/ground/model/present.ts'
import type { ClusterContext } from '../../src/ground/model/run-origin.ts'
import type { Cluster } from '../../src/ground/ports/cluster.ts'
import type { Log } from '../../src/ground/ports/log.ts'
import type { RollPlace } from '../../src/roll/cli/roll-actions.ts'
import { FileJournalStore } from '../../src/roll/io/file-journal-store.ts'
import type { RollSpec } from '../../src/roll/model/roll-spec.ts'
import type { RememberedPlace } from '../../src/roll/run/remembered-place.ts'
import { HealthEndpoints } from '../../src/service/actuators/agent/io/health-endpoints.ts'
import { CommandBalancer } from '../../src/service/actuators/commands/io/command-balancer.ts'
import { DetachedNodes } from '../../src/service/actuators/detacher/io/detached-nodes.ts'
import { HaproxyBalancer } from '../../src/service/actuators/haproxy/io/haproxy-balancer.ts'
import { MarkedNodes } from '../../src/service/actuators/mark/io/marked-nodes.ts'
import type { BalancerReader } from '../../src/service/ports/balancer.ts'

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
  /** The way here, for a later command. */
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

/** ssh to a balancer goes by the same configuration as ssh to a node. */
export function balancersOf({ reboot, balancers }: RollSpec): readonly HaproxyBalancer[] {
  const configFile = reboot.kind === 'ssh' ? reboot.configFile : undefined
  return balancers
    .filter(
      (spec) =>
        spec.healthEndpoint === undefined &&
        spec.healthCheck === undefined &&
        spec.annotation === undefined &&
        spec.commands === undefined,
    )
    .map(
      (balancer) =>
        new HaproxyBalancer({
          spec: balancer,
          clock: systemClock,
          random: systemRandom,
          ...present({ sshConfigFile: configFile }),
        }),
    )
}

/** Balancers that the nodes' agents, a mark on the Node, or a detacher speak to. Nothing is left open between two readings. */
export const endpointsOf = ({ balancers }: RollSpec, cluster: Cluster): readonly BalancerReader[] =>
  balancers.flatMap((spec): readonly BalancerReader[] => {
    const parts = { cluster, clock: systemClock }
    if (spec.healthEndpoint !== undefined) return [new HealthEndpoints({ ...parts, spec })]
    if (spec.healthCheck !== undefined) return [new MarkedNodes({ ...parts, spec })]
    return spec.annotation === undefined ? [] : [new DetachedNodes({ ...parts, spec, detacher: spec.annotation })]
  })

/** Balancers that commands of the file move and ask. */
export const commandsOf = (
  { balancers }: RollSpec,
  cluster: Cluster,
  { env }: Pick<RollSurroundings, 'env'>,
): readonly CommandBalancer[] =>
  balancers
    .filter((spec) => spec.commands !== undefined)
    .map(
      (spec) =>
        new CommandBalancer({ spec, cluster, clock: systemClock, random: systemRandom, searchPath: env.PATH ?? '' }),
    )

import { wallMs } from '../../../src/ground/model/time.ts'
import { isReady, type PodObject } from '../../../src/sim/actors/pod-object.ts'
import {
  database,
  EDGE_PORT,
  edge,
  INGRESS_PORT,
  ingress,
  WHOAMI_PORT,
  type WhoamiOptions,
  whoami,
} from '../../../src/sim/cluster/article-workloads.ts'
import { VirtualCluster } from '../../../src/sim/cluster/virtual-cluster.ts'
import { PODS } from '../../../src/sim/world/api-resource.ts'
import { type RollFileFacts, rollFile } from '../roll-bed/roll-file.ts'
import { turnsOfLoop } from '../turns-of-loop.ts'
import { serverKey } from './checkers/server-word.ts'

export interface ArticleOptions extends Partial<WhoamiOptions> {
  readonly seed?: string
  readonly nodes?: number
  /** How long a machine that reboots stays dark. */
  readonly darkMs?: number
  /** `ingress`: each node carries one, and the balancer sends to it; else to the node port of `whoami`. */
  readonly wayIn?: 'ingress'
}

/** The cluster of the real test bed, with the same workloads and the same HAProxy before it, in virtual time. */
export async function articleCluster({
  seed = '1',
  nodes = 3,
  darkMs = 500,
  wayIn,
  ...options
}: ArticleOptions = {}): Promise<VirtualCluster> {
  const names = Array.from({ length: nodes }, (_, i) => `n${i + 1}`)
  const cluster = new VirtualCluster(
    {
      seed,
      startAt: wallMs(Date.UTC(2026, 0, 1)),
      nodes,
      darkMs,
      manifests: [
        ...whoami({ service: 'improved', ...options }),
        ...edge(),
        ...database(names),
        ...(wayIn === 'ingress' ? ingress({}) : []),
      ],
      balancer: {
        fronts: [
          wayIn === 'ingress'
            ? { backend: 'web', port: 18080, nodePort: INGRESS_PORT, checkPath: '/healthz' }
            : { backend: 'web', port: 18080, nodePort: WHOAMI_PORT },
          { backend: 'edge', port: 18081, nodePort: EDGE_PORT },
        ],
        check: { interMs: 2000, fall: 3, rise: 2 },
      },
    },
    turnsOfLoop,
  )
  await settled(cluster)
  return cluster
}

const SETTLED_WITHIN_S = 120

/** Every pod is ready, and every server of each instance up that `isWanted`: a condition with a limit, in virtual time. */
export async function settled(cluster: VirtualCluster, isWanted = (_server: string): boolean => true): Promise<void> {
  for (let second = 0; second < SETTLED_WITHIN_S; second += 1) {
    await cluster.time.advance(1000)
    const pods = [...cluster.world.store.all(PODS)] as PodObject[]
    if (pods.length > 0 && pods.every(isReady) && allUp(cluster, isWanted)) return
  }
  throw new Error(`the cluster has not settled within ${SETTLED_WITHIN_S} s`)
}

const allUp = ({ instances }: VirtualCluster, isWanted: (server: string) => boolean): boolean =>
  instances.every(({ name: instance, balancer }) =>
    balancer.state.backends.every(({ name: backend, servers }) =>
      servers.every((server) => server.isUsable || !isWanted(serverKey(instance, `${backend}/${server.config.name}`))),
    ),
  )

/** The roll.yaml of the real test bed, but for where its socket and its ssh lie. */
export const virtualRollFile = (facts: Partial<RollFileFacts> = {}): string =>
  rollFile({ socket: '/run/haproxy.sock', sshConfig: '/etc/ssh/ssh_config', ...facts })

import type { VirtualCluster } from '../../../../src/sim/cluster/virtual-cluster.ts'
import { keepGate } from '../../gate-keeper.ts'
import { GATE, type PodsKind, staticManifests } from './pods-kind.ts'

/** What pods of these nodes wait for that is no part of their manifests. */
export function letPodsWait(
  { world, time, machines }: Pick<VirtualCluster, 'world' | 'time' | 'machines'>,
  nodes: readonly string[],
  kind: PodsKind,
): void {
  const { gateMs } = kind
  if (gateMs !== undefined) keepGate({ world, timers: time, gate: GATE, afterMs: gateMs })
  for (const node of nodes)
    for (const [file, manifest] of staticManifests(kind)) machines.manifestsOf(node).put(file, manifest)
}

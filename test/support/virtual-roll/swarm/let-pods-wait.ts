import type { VirtualCluster } from '../../../../src/sim/cluster/virtual-cluster.ts'
import { keepGate } from '../../gate-keeper.ts'
import { GATE, type PodsKind, staticManifest } from './pods-kind.ts'

/** What pods of these nodes wait for that is no part of their manifests. */
export function letPodsWait(
  { world, time, machines }: Pick<VirtualCluster, 'world' | 'time' | 'machines'>,
  nodes: readonly string[],
  { gateMs, staticSeconds }: PodsKind,
): void {
  if (gateMs !== undefined) keepGate({ world, timers: time, gate: GATE, afterMs: gateMs })
  if (staticSeconds === undefined) return
  for (const node of nodes) machines.manifestsOf(node).put('on-disk', staticManifest(staticSeconds))
}

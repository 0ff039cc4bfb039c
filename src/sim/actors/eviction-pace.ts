/** The time between two nodes whose pods are evicted, where few are silent (`--node-eviction-rate` 0.1 a second). */
export const USUAL_EVICTION_PACE_MS = 10_000
/** `--secondary-node-eviction-rate` 0.01 a second. */
const SLOW_MS = 100_000
/** `--unhealthy-zone-threshold`, `--large-cluster-size-threshold`. */
const MANY = 0.55
const LARGE = 50

interface Readiness {
  readonly ready: number
  readonly notReady: number
}

/**
 * The same by the number of nodes that are not ready: `Infinity` (no evictions) where all are, or many of a small cluster
 * (node_lifecycle_controller.go, ComputeZoneState, ReducedQPSFunc, handleDisruption). The cluster is one zone.
 */
export function evictionPaceMs({ ready, notReady }: Readiness): number {
  if (notReady === 0) return USUAL_EVICTION_PACE_MS
  if (ready === 0) return Number.POSITIVE_INFINITY
  if (notReady <= 2 || notReady / (notReady + ready) < MANY) return USUAL_EVICTION_PACE_MS
  return ready + notReady > LARGE ? SLOW_MS : Number.POSITIVE_INFINITY
}

/** `--node-eviction-rate` 0.1, `--secondary-node-eviction-rate` 0.01, in nodes a second. */
const USUAL_MS = 10_000
const SLOW_MS = 100_000
/** `--unhealthy-zone-threshold`, `--large-cluster-size-threshold`. */
const MANY = 0.55
const LARGE = 50

export interface Readiness {
  readonly ready: number
  readonly notReady: number
}

/** How many ms lie between two nodes whose pods are driven out, as a controller manager has it that is told nothing. */
export const USUAL_EVICTION_PACE_MS = USUAL_MS

/**
 * The same by how many nodes are not ready: `Infinity`, that is none, where all are, or many of a small cluster
 * (node_lifecycle_controller.go, ComputeZoneState, ReducedQPSFunc, handleDisruption). The cluster is one zone.
 */
export function evictionPaceMs({ ready, notReady }: Readiness): number {
  if (notReady === 0) return USUAL_MS
  if (ready === 0) return Number.POSITIVE_INFINITY
  if (notReady <= 2 || notReady / (notReady + ready) < MANY) return USUAL_MS
  return ready + notReady > LARGE ? SLOW_MS : Number.POSITIVE_INFINITY
}

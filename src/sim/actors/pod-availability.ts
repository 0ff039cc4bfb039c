import { isReady, type PodObject } from './pod-object.ts'

interface Availability {
  readonly ready: number
  readonly available: number
  /** When the next Ready pod will have been Ready for long enough. */
  readonly againMs: number | undefined
}

/** A pod is available once it has been Ready for `minReadySeconds` (pkg/api/v1/pod/util.go, IsPodAvailable). */
export function isAvailable(pod: PodObject, minReadySeconds: number, nowMs: number): boolean {
  return isReady(pod) && waitMs(pod, minReadySeconds, nowMs) <= 0
}

export function availabilityOf(pods: readonly PodObject[], minReadySeconds: number, nowMs: number): Availability {
  const ready = pods.filter(isReady)
  const waits = ready.map((pod) => waitMs(pod, minReadySeconds, nowMs)).filter((ms) => ms > 0)
  return {
    ready: ready.length,
    available: ready.length - waits.length,
    againMs: waits.length === 0 ? undefined : Math.min(...waits),
  }
}

function waitMs({ status }: PodObject, minReadySeconds: number, nowMs: number): number {
  if (minReadySeconds <= 0) return 0
  const since = status?.conditions?.find(({ type }) => type === 'Ready')?.lastTransitionTime
  return since === undefined ? 0 : Date.parse(since) + minReadySeconds * 1000 - nowMs
}

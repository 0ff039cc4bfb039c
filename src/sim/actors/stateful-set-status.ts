import { omitZeros } from './omit-zeros.ts'
import { availabilityOf } from './pod-availability.ts'
import { isGoing, type PodObject } from './pod-object.ts'
import { REVISION_LABEL } from './stateful-revisions.ts'
import type { StatefulSetObject } from './stateful-set-object.ts'

interface StatefulSetInput {
  readonly set: StatefulSetObject
  readonly pods: readonly PodObject[]
  /** The name of the revision that its pods had before the rollout. */
  readonly current: string
  /** The name of the revision that it has now. */
  readonly update: string
  readonly nowMs: number
}

/** stateful_set_control.go, updateStatus and completeRollingUpdate. */
export function statefulSetStatus(input: StatefulSetInput): Readonly<Record<string, unknown>> {
  const { set, pods, update, nowMs } = input
  const { replicas = 1, updateStrategy } = set.spec
  const { ready, available } = availabilityOf(pods, set.spec.minReadySeconds ?? 0, nowMs)
  const staying = pods.filter((pod) => !isGoing(pod))
  const countOf = (name: string): number =>
    staying.filter(({ metadata }) => metadata.labels?.[REVISION_LABEL] === name).length
  const updated = countOf(update)
  const isComplete = updated === replicas && ready === replicas && pods.length === replicas
  const current = isComplete && updateStrategy?.type !== 'OnDelete' ? update : input.current
  return {
    replicas: pods.length,
    availableReplicas: available,
    ...omitZeros({
      observedGeneration: set.metadata.generation ?? 0,
      readyReplicas: ready,
      currentReplicas: countOf(current),
      updatedReplicas: updated,
    }),
    currentRevision: current,
    updateRevision: update,
    collisionCount: 0,
  }
}

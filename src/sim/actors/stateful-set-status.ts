import { omitZeros } from './omit-zeros.ts'
import { availabilityOf } from './pod-availability.ts'
import { isGoing, type PodObject } from './pod-object.ts'
import { REVISION_LABEL } from './stateful-pod.ts'
import type { StatefulSetObject } from './stateful-set-object.ts'

interface StatefulSetInput {
  readonly set: StatefulSetObject
  readonly pods: readonly PodObject[]
  /** Of the template that it has now. */
  readonly revision: string
  readonly nowMs: number
}

/** stateful_set_control.go, updateStatus and completeRollingUpdate. */
export function statefulSetStatus({ set, pods, revision, nowMs }: StatefulSetInput): Readonly<Record<string, unknown>> {
  const { ready, available } = availabilityOf(pods, set.spec.minReadySeconds ?? 0, nowMs)
  const staying = pods.filter((pod) => !isGoing(pod))
  const countOf = (name: string): number =>
    staying.filter(({ metadata }) => metadata.labels?.[REVISION_LABEL] === name).length
  const updated = countOf(revision)
  const isComplete = updated === pods.length && ready === pods.length
  const current = isComplete ? revision : (set.status?.currentRevision ?? revision)
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
    updateRevision: revision,
    collisionCount: 0,
  }
}

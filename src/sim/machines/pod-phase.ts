import { isFinished } from '../actors/pod-object.ts'
import type { ContainerSpec, NodePod } from './node-pod.ts'
import type { ContainerState, Ended } from './pod-state.ts'

/** A container with what is known of it. */
export interface KnownContainer {
  readonly spec: ContainerSpec
  readonly state: ContainerState
}

/** It runs beside the others, and they wait for its start alone (KEP-753). */
export const isSidecar = ({ restartPolicy }: ContainerSpec): boolean => restartPolicy === 'Always'

export const mayRestart = ({ spec: { restartPolicy = 'Always' } }: NodePod, exitCode: number): boolean =>
  restartPolicy === 'Always' || (restartPolicy === 'OnFailure' && exitCode !== 0)

/** What a regular init container that ended badly does is done again, unless its pod is to run but once. */
export const mayInitAgain = ({ spec }: NodePod, exitCode: number): boolean =>
  exitCode !== 0 && spec.restartPolicy !== 'Never'

interface PodFacts {
  readonly inits: readonly KnownContainer[]
  readonly mains: readonly KnownContainer[]
  /** Nothing of it is started any more, and nothing of it runs. */
  readonly hasEnded: boolean
}

/** pkg/kubelet/kubelet_pods.go, getPhase. */
export function podPhase(pod: NodePod, { inits, mains, hasEnded }: PodFacts): string {
  // What has ended stays so.
  if (isFinished(pod)) return pod.status?.phase ?? 'Failed'
  const ends = mains.map(({ state }) => endOf(state))
  const isGood = ends.every((end) => end?.exitCode === 0)
  if (hasEnded) return isGood ? 'Succeeded' : 'Failed'
  const regular = inits.filter(({ spec }) => !isSidecar(spec)).map(({ state }) => state)
  const failed = regular.map(endOf).find((end) => end !== undefined && end.exitCode !== 0)
  if (failed !== undefined && !mayInitAgain(pod, failed.exitCode)) return 'Failed'
  if (mains.some(({ state }) => state.run.kind === 'waiting' && state.last === undefined)) return 'Pending'
  if (regular.some((state) => endOf(state)?.exitCode !== 0)) return 'Pending'
  const isOver = ends.every((end) => end !== undefined && !mayRestart(pod, end.exitCode))
  if (isOver && mains.every(({ state }) => state.run.kind !== 'running')) return isGood ? 'Succeeded' : 'Failed'
  return 'Running'
}

/** How it ended last, where it does not run. */
const endOf = ({ run, last }: ContainerState): Ended | undefined =>
  run.kind === 'ended' ? run : run.kind === 'waiting' ? last : undefined

import type { LabelSelector } from '../../../ground/model/label-selector.ts'
import { selectorMatches } from '../../../ground/model/label-selector.ts'
import { isDaemonSetPod, isFinished, type Pod } from '../../../ground/model/pod.ts'
import { labelsBefore } from '../../../ground/model/polite-mark.ts'
import type { RollSpec } from '../../model/roll-spec.ts'
import { guardOf } from './guard-of.ts'

/** 1: pods with volumes and those that the file names; 2: all others; 3: DaemonSets that the file names; 4: NodeGuards. */
export const DRAIN_STAGES = [1, 2, 3, 4] as const

export type DrainStage = (typeof DRAIN_STAGES)[number]

/** A NodeGuard may wait for any other pod of its node, such as the last one that has a volume: so its pod leaves last. */
export const GUARD_STAGE = 4

/**
 * What a drain does with a pod, in the classes of `kubectl drain` (kubernetes/kubectl pkg/drain/filters.go). `refused`: the pod
 * may only leave where the file says so, else the plan fails.
 */
type PodClass =
  | { readonly kind: 'stays'; readonly why: 'mirror' | 'daemonSet' }
  | { readonly kind: 'evict'; readonly stage: DrainStage }
  | { readonly kind: 'refused'; readonly why: 'emptyDir' | 'unmanaged' }

export function classifyPod(pod: Pod, drain: RollSpec['drain']): PodClass {
  if (pod.mirror) return { kind: 'stays', why: 'mirror' }
  if (isDaemonSetPod(pod) && !isFinished(pod)) {
    return matchesAny(drain.daemonSets, pod) ? { kind: 'evict', stage: 3 } : { kind: 'stays', why: 'daemonSet' }
  }
  const stage = stageOf(pod, drain)
  if (isFinished(pod)) return { kind: 'evict', stage }
  if (pod.polite !== undefined) return { kind: 'evict', stage }
  if (pod.controller === undefined && !drain.deleteUnmanaged) return { kind: 'refused', why: 'unmanaged' }
  if (pod.usesEmptyDir && !drain.deleteEmptyDirData) return { kind: 'refused', why: 'emptyDir' }
  return { kind: 'evict', stage }
}

export function stageOf(pod: Pod, drain: RollSpec['drain']): DrainStage {
  if (guardOf(pod) !== undefined) return GUARD_STAGE
  return inFirstStage(pod, drain) ? 1 : 2
}

/** The pod has volumes, or the file names its label. */
const inFirstStage = (pod: Pod, drain: RollSpec['drain']): boolean =>
  pod.claims.length > 0 || (drain.firstStage !== undefined && selectorMatches(drain.firstStage, labelsBefore(pod)))

const matchesAny = (selectors: readonly LabelSelector[], pod: Pod): boolean =>
  selectors.some((selector) => selectorMatches(selector, pod.labels))

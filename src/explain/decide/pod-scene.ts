import type { DisruptionBudget } from '../../ground/model/disruption-budget.ts'
import type { EvictionAnswer } from '../../ground/model/eviction.ts'
import type { Pod } from '../../ground/model/pod.ts'
import type { EndpointSlice } from '../../ground/model/service.ts'
import type { WallMs } from '../../ground/model/time.ts'
import type { VolumeAttachment, VolumeClaim } from '../../ground/model/volume.ts'
import type { RollSpec } from '../../roll/model/roll-spec.ts'
import type { SeenPod } from '../model/seen-pod.ts'

/** All that was read about a pod. What is absent is not known. */
export interface PodScene {
  readonly now: WallMs
  readonly seen: SeenPod
  /** The Ready condition of its node. */
  readonly nodeReady?: 'True' | 'False' | 'Unknown'
  /** Those of its namespace, at least. */
  readonly budgets?: readonly DisruptionBudget[]
  /** The answer to a dry run of its eviction. */
  readonly answer?: EvictionAnswer
  /** The settings by which a drain classifies pods: those of the roll that has the node, or of `kubectl drain` without flags. */
  readonly drain: Drain
}

export type Drain = RollSpec['drain']

/** The classes of `kubectl drain` without flags. */
export const PLAIN_DRAIN: Drain = {
  daemonSets: [],
  deleteEmptyDirData: false,
  deleteUnmanaged: false,
  blockedLimitMs: 0,
  stageLimitMs: 0,
}

export const refOf = ({ seen: { pod } }: PodScene): string => `${pod.namespace}/${pod.name}`

/** What is also read for one pod. */
export interface PodAround {
  readonly slices?: readonly EndpointSlice[]
  readonly attachments?: readonly VolumeAttachment[]
  readonly claims?: readonly VolumeClaim[]
}

/** The PersistentVolumes of a pod, as far as its claims are bound. */
export const volumesOf = (pod: Pod, claims: readonly VolumeClaim[]): readonly string[] =>
  pod.claims.flatMap(
    (name) => claims.find((claim) => claim.namespace === pod.namespace && claim.name === name)?.volumeName ?? [],
  )

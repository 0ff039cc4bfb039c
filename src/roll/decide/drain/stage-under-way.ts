import type { Pod } from '../../../ground/model/pod.ts'
import type { NodeSnapshot } from '../node-snapshot.ts'
import { DRAIN_STAGES, type DrainStage, GUARD_STAGE } from './classify-pod.ts'

type Left = Readonly<Record<DrainStage, readonly Pod[]>>

/** The stage that a drain is in, and the last one that it has. */
export function stageUnderWay({ spec, evidence }: NodeSnapshot, left: Left): readonly [number, number] {
  const isGuarded =
    left[GUARD_STAGE].length > 0 || Object.values(evidence.evicted).some(({ stage }) => stage === GUARD_STAGE)
  const last = isGuarded ? GUARD_STAGE : spec.drain.daemonSets.length > 0 ? 3 : 2
  const next = DRAIN_STAGES.find((stage) => left[stage].length > 0)
  return [next ?? (isGuarded ? GUARD_STAGE : 3), last]
}

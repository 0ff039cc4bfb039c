import type { PlanFinding } from '../../../ground/model/plan-finding.ts'
import type { Pod } from '../../../ground/model/pod.ts'
import type { PlanSnapshot } from './plan-snapshot.ts'
import { roomFindings } from './room/room-findings.ts'

/** The roll's own pod is among the pods of the nodes. No drain moves it, so no other finding about drains is given for it. */
export const isOwnPod = ({ ownPod }: PlanSnapshot, { uid }: Pod): boolean => uid === ownPod?.uid

/** A pod that is bound to its node, as by a local volume, could not move: the roll would come to its last node and stop there. */
export const ownPodFindings = (s: PlanSnapshot, pods: readonly Pod[]): readonly PlanFinding[] =>
  roomFindings(
    s,
    pods.filter((pod) => isOwnPod(s, pod)),
  ).map(({ text, ...found }) => ({
    ...found,
    severity: 'block',
    code: 'OwnPodBound',
    text: `the pod of this roll cannot leave its node: ${text}`,
    fix: 'let another node take the pod (volume, tolerations, affinity, room), or leave its node out of the roll',
  }))

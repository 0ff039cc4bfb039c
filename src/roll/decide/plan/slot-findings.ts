import type { PlanFinding } from '../../../ground/model/plan-finding.ts'
import { kubectl, say } from '../../../ground/model/sentence.ts'
import { slotRef } from '../../../ground/model/slot.ts'

/** How the API refused a trial write of the slot's Lease: a WorldError's code and text. */
export interface SlotRefusal {
  readonly code: string
  readonly text: string
}

/** Why no slot could be taken. Without this finding, the roll would only hold before its first node. */
export function slotFindings(namespace: string, refusal: SlotRefusal | undefined): readonly PlanFinding[] {
  if (refusal === undefined) return []
  if (refusal.code === 'KUBE_NOT_FOUND') {
    return [
      {
        severity: 'error',
        code: 'SlotNamespaceMissing',
        text: `there is no namespace ${namespace}, which "slots.namespace" names for the Lease of the slot`,
        fix: say`${kubectl`create namespace ${namespace}`}, or set "slots.namespace" to one that exists`,
      },
    ]
  }
  return [
    {
      severity: 'error',
      code: 'SlotRefused',
      text: `the API server would not take Lease ${slotRef(namespace).name} in namespace ${namespace}: ${refusal.text}`,
      fix: 'repair that, or set "slots.namespace" to another namespace',
    },
  ]
}

import type { PlanFinding } from '../../../ground/model/plan-finding.ts'
import { evenkeel, kubectl, say } from '../../../ground/model/sentence.ts'
import { type SeenSlot, slotRef } from '../../../ground/model/slot.ts'
import { ownerText } from '../../../service/decide/budget/owner-text.ts'

/** How the API refused a trial write of the slot's Lease: a WorldError's code and text. */
export interface SlotRefusal {
  readonly code: string
  readonly text: string
}

/** Slots that others hold: the roll waits where they leave the budget no room. Nobody knows by one reading whether a holder lives. */
export const heldSlotFindings = (slots: readonly SeenSlot[] = []): readonly PlanFinding[] =>
  slots.map((slot) => {
    const { index, owner } = slot
    const of = owner.node === undefined ? '' : ` for ${owner.node}`
    return {
      severity: 'hold',
      code: 'SlotTaken',
      ...(owner.node === undefined || owner.isMachine === true ? {} : { node: owner.node }),
      text: `${ownerText(slot)} holds slot ${index} of the node budget${of}`,
      fix: say`wait until it is released; whether it is renewed: ${evenkeel`budget --watch 2min`}`,
    }
  })

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

import type { CheckedIngress } from '../../core/ingress/ingress-kind.ts'
import type { WantedStatus } from '../../model/object-status.ts'
import type { Reason } from '../../model/reason.ts'

/** Of an object that nothing is done by: all that is wrong, and what stood there stays. */
export function refusedStatus({ status }: CheckedIngress, reasons: readonly Reason[]): WantedStatus {
  const message = reasons.map(({ text, next }) => (next === undefined ? text : `${text}; ${next}`)).join('. ')
  const words = { reason: 'IngressRefused', message }
  return {
    fields: status.fields,
    conditions: [
      { type: 'Stalled', status: 'True', ...words },
      { type: 'Ready', status: 'False', ...words },
    ],
  }
}

import type { FieldFinding } from '../../ground/model/schema/field-finding.ts'
import { validateObject } from '../../ground/model/schema/validate-object.ts'
import { Untrusted } from '../../ground/model/untrusted.ts'
import { ingressSchema } from './schema/ingress-schema.ts'
import { ingressWarnings } from './warnings.ts'

const KIND = { schema: ingressSchema(), kind: 'ingressdaemonset' }

/**
 * The findings of an IngressDaemonSet by itself: its errors, as the API server finds them by the schema, and warnings. `old`: the object
 * before a change.
 */
export function validateIngress(object: unknown, old?: unknown): readonly FieldFinding[] {
  const { findings, isReadable } = validateObject(KIND, object, old)
  return isReadable ? [...findings, ...ingressWarnings(new Untrusted(object, 'object'))] : findings
}

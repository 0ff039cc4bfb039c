import type { FieldFinding } from '../../ground/model/schema/field-finding.ts'
import { validateObject } from '../../ground/model/schema/validate-object.ts'
import { Untrusted } from '../../ground/model/untrusted.ts'
import { ingressSchema } from './schema/ingress-schema.ts'
import { ingressWarnings } from './warnings.ts'

const KIND = { schema: ingressSchema(), kind: 'ingressdaemonset' }

/**
 * Everything that is wrong with an IngressDaemonSet by itself, as the API server sees it by the schema of the kind, and what is worth
 * a warning. `old` is the object before, where it is changed. What takes other objects to see is not looked for.
 */
export function validateIngress(object: unknown, old?: unknown): readonly FieldFinding[] {
  const { findings, isReadable } = validateObject(KIND, object, old)
  return isReadable ? [...findings, ...ingressWarnings(new Untrusted(object, 'object'))] : findings
}

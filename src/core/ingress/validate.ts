import { Untrusted } from '../../model/untrusted.ts'
import { blocksRules, checkShape } from './check-shape.ts'
import type { IngressFinding } from './finding.ts'
import { below, type Place } from './place.ts'
import { ingressSchema } from './schema/ingress-schema.ts'
import { ingressWarnings } from './warnings.ts'

const SCHEMA = ingressSchema()

/**
 * Everything that is wrong with an IngressDaemonSet by itself, as the API server sees it by the schema of the kind, and what is worth
 * a warning. `old` is the object before, where it is changed. What takes other objects to see is not looked for.
 */
export function validateIngress(object: unknown, old?: unknown): readonly IngressFinding[] {
  const place: Place = { schema: SCHEMA, value: object, path: '' }
  const shape = checkShape(place)
  if (shape.some(blocksRules)) return shape
  const before = old === undefined || checkShape({ ...place, value: old }).some(blocksRules) ? undefined : old
  return [...shape, ...brokenRules({ ...place, old: before }), ...ingressWarnings(new Untrusted(object, 'object'))]
}

function brokenRules(place: Place): readonly IngressFinding[] {
  const self = new Untrusted(place.value, place.path)
  const old = place.old === undefined ? undefined : new Untrusted(place.old, place.path)
  const broken = (place.schema.rules ?? [])
    .filter(({ holds }) => !holds(self, old))
    .map(({ rule, below: rest, message, fix }): IngressFinding => {
      const field = place.path === '' ? rest.slice(1) : `${place.path}${rest}`
      return { rule, field, severity: 'error', message, fix }
    })
  return [...broken, ...below(place).flatMap(brokenRules)]
}

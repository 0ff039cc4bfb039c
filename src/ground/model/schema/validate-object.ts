import { Untrusted } from '../untrusted.ts'
import { blocksRules, checkShape } from './check-shape.ts'
import type { FieldFinding } from './field-finding.ts'
import { below, type Place } from './place.ts'

/**
 * The findings of a schema and its rules about an object, as the API server sees it. `old` is the earlier object, where it is
 * changed. `isReadable`: it has the right shape, so that more can be checked.
 */
export function validateObject(
  { schema, kind }: Pick<Place, 'schema' | 'kind'>,
  object: unknown,
  old?: unknown,
): { readonly findings: readonly FieldFinding[]; readonly isReadable: boolean } {
  const place: Place = { schema, kind, value: object, path: '' }
  const shape = checkShape(place)
  if (shape.some(blocksRules)) return { findings: shape, isReadable: false }
  const before = old === undefined || checkShape({ ...place, value: old }).some(blocksRules) ? undefined : old
  return { findings: [...shape, ...brokenRules({ ...place, old: before })], isReadable: true }
}

function brokenRules(place: Place): readonly FieldFinding[] {
  const self = new Untrusted(place.value, place.path)
  const old = place.old === undefined ? undefined : new Untrusted(place.old, place.path)
  const broken = (place.schema.rules ?? [])
    .filter(({ holds }) => !holds(self, old))
    .map(({ rule, below: rest, message, fix }): FieldFinding => {
      const field = place.path === '' ? rest.slice(1) : `${place.path}${rest}`
      return { code: rule, field, severity: 'error', text: message, fix }
    })
  return [...broken, ...below(place).flatMap(brokenRules)]
}

import { isJsonObject } from '../json-object.ts'
import type { FieldFinding } from './field-finding.ts'
import { below, isAbsent, type Place } from './place.ts'

type Fault = Pick<FieldFinding, 'code' | 'text' | 'fix'>

const INT32_MAX = 2_147_483_647

/** What a structural schema forbids: wrong types and bounds, missing and unknown fields. */
export function checkShape(place: Place): readonly FieldFinding[] {
  const type = typeFault(place)
  if (type !== undefined) return [finding(place.path, type)]
  const size = lengthFault(place)
  if (size !== undefined) return [finding(place.path, size)]
  return [
    ...boundFaults(place).map((fault) => finding(place.path, fault)),
    ...missingFields(place),
    ...duplicates(place),
    ...unknownFields(place),
    ...below(place).flatMap(checkShape),
  ]
}

/** After such a finding no rule is evaluated: it would fail, or take time that grows with the square of a list. */
export const blocksRules = ({ code }: FieldFinding): boolean => ['wrongType', 'missingField', 'tooMany'].includes(code)

const finding = (field: string, fault: Fault): FieldFinding => ({ ...fault, field, severity: 'error' })

const fieldOf = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`)

/** The command that shows a field, or those of the object. */
const explain = ({ kind }: Pick<Place, 'kind'>, path: string): string =>
  `\`kubectl explain ${fieldOf(kind, path).replaceAll(/\[\d+\]|\.$/g, '')}\``
const explained = (of: Pick<Place, 'kind'>, path: string): string => `${explain(of, path)} says what the field means`

function typeFault(place: Place): Fault | undefined {
  const wanted = place.schema['x-kubernetes-int-or-string'] ? 'limit' : place.schema.type
  if (wanted === undefined || TYPES[wanted].is(place.value)) return undefined
  const name = TYPES[wanted].name
  return { code: 'wrongType', text: `not ${name}`, fix: `write ${name}; ${explained(place, place.path)}` }
}

const isInteger = (value: unknown): boolean => Number.isSafeInteger(value)
const isText = (value: unknown): boolean => typeof value === 'string'

const TYPES = {
  object: { is: isJsonObject, name: 'fields with values' },
  array: { is: Array.isArray, name: 'a list' },
  string: { is: isText, name: 'a text' },
  integer: { is: isInteger, name: 'a whole number without quotes' },
  boolean: { is: (value: unknown) => typeof value === 'boolean', name: 'true or false' },
  limit: { is: (value: unknown) => isInteger(value) || isText(value), name: 'a whole number or a percentage' },
} as const

/** The items of such a list are not checked: it may have any length. */
function lengthFault({ schema, kind, value, path }: Place): Fault | undefined {
  const most = schema.maxItems
  if (!Array.isArray(value) || most === undefined || value.length <= most) return undefined
  const text = `${value.length} items are more than ${most}`
  return { code: 'tooMany', text, fix: `write at most ${most}; ${explained({ kind }, path)}` }
}

function boundFaults({ schema, kind, value, path }: Place): readonly Fault[] {
  if (schema.enum !== undefined && !schema.enum.includes(String(value))) {
    const words = schema.enum.join(', ').replace(/, (?=[^,]*$)/, ' or ')
    return [{ code: 'notAChoice', text: `not ${words}`, fix: `write ${words}; ${explained({ kind }, path)}` }]
  }
  const [size, unit, least, most] = sizeOf({ schema, value })
  const bounds =
    least === undefined ? `at most ${most}` : most === undefined ? `at least ${least}` : `${least} to ${most}`
  if (size >= (least ?? size) && size <= (most ?? size)) return []
  return [
    {
      code: 'outOfBounds',
      text: `${size}${unit} is not ${bounds}`,
      fix: `make it ${bounds}; ${explained({ kind }, path)}`,
    },
  ]
}

type Size = readonly [size: number, unit: string, least: number | undefined, most: number | undefined]

function sizeOf({ schema, value }: Pick<Place, 'schema' | 'value'>): Size {
  if (typeof value === 'number') {
    const most = schema.maximum ?? (schema.format === 'int32' ? INT32_MAX : undefined)
    return [value, '', schema.minimum, most]
  }
  if (typeof value === 'string') return [[...value].length, ' characters', schema.minLength, schema.maxLength]
  if (Array.isArray(value)) return [value.length, ' items', schema.minItems, schema.maxItems]
  const entries = isJsonObject(value) ? Object.keys(value).length : 0
  return [entries, ' entries', schema.minProperties, schema.maxProperties]
}

function missingFields({ schema, kind, value, path }: Place): readonly FieldFinding[] {
  if (!isJsonObject(value)) return []
  return (schema.required ?? [])
    .filter((name) => !Object.hasOwn(value, name) || isAbsent(value[name]))
    .map((name) => {
      const field = fieldOf(path, name)
      return finding(field, {
        code: 'missingField',
        text: `${name} is missing`,
        fix: `write it; ${explained({ kind }, field)}`,
      })
    })
}

/** A list of type `set` has no item twice, a list of type `map` no two items with the same keys. */
function duplicates({ schema, value, path }: Place): readonly FieldFinding[] {
  if (schema['x-kubernetes-list-type'] === undefined || !Array.isArray(value)) return []
  const keys = schema['x-kubernetes-list-map-keys']
  const seen = new Set<string>()
  return value.flatMap((item, i) => {
    const name = keys === undefined ? JSON.stringify(item) : keys.map((key) => JSON.stringify(item?.[key])).join(', ')
    const text = `${name} is there twice`
    const isNew = !seen.has(name)
    seen.add(name)
    return isNew
      ? []
      : [finding(`${path}[${i}]`, { code: 'twice', text, fix: 'remove one of them, or give it another name' })]
  })
}

/** The API server drops unknown fields, so they have no effect. */
function unknownFields({ schema, kind, value, path }: Place): readonly FieldFinding[] {
  const { properties, additionalProperties } = schema
  const takesAny = schema['x-kubernetes-preserve-unknown-fields'] || path === 'metadata'
  if (properties === undefined || additionalProperties !== undefined || takesAny || !isJsonObject(value)) return []
  return Object.keys(value)
    .filter((name) => !Object.hasOwn(properties, name))
    .map((name) => ({
      code: 'unknownField',
      field: fieldOf(path, name),
      severity: 'warning',
      text: 'there is no such field, and it does nothing',
      fix: `remove it or correct its name; ${explain({ kind }, path)} lists the fields`,
    }))
}

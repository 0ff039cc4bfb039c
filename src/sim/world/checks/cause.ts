/** One thing that is wrong with an object (apimachinery, pkg/util/validation/field/errors.go). */
export interface Cause {
  readonly reason: string
  readonly field: string
  readonly message: string
}

const shown = (value: unknown): string => JSON.stringify(value) ?? 'null'

export const wrong = (field: string, value: unknown, why: string): Cause => ({
  reason: 'FieldValueInvalid',
  field,
  message: `Invalid value: ${shown(value)}: ${why}`,
})

export const required = (field: string, why = ''): Cause => ({
  reason: 'FieldValueRequired',
  field,
  message: `Required value${why === '' ? '' : `: ${why}`}`,
})

export const forbidden = (field: string, why: string): Cause => ({
  reason: 'FieldValueForbidden',
  field,
  message: `Forbidden: ${why}`,
})

export const duplicate = (field: string, value: unknown): Cause => ({
  reason: 'FieldValueDuplicate',
  field,
  message: `Duplicate value: ${shown(value)}`,
})

export const tooLong = (field: string, most: number): Cause => ({
  reason: 'FieldValueTooLong',
  field,
  message: `Too long: may not be more than ${most} bytes`,
})

export const notSupported = (field: string, value: unknown, supported: readonly string[]): Cause => ({
  reason: 'FieldValueNotSupported',
  field,
  message: `Unsupported value: ${shown(value)}: supported values: ${supported.map((each) => `"${each}"`).join(', ')}`,
})

export const notFound = (field: string, value: unknown): Cause => ({
  reason: 'FieldValueNotFound',
  field,
  message: `Not found: ${shown(value)}`,
})

/** Wrong where it is given and is none of these. */
export const oneOf = (field: string, value: unknown, supported: readonly string[]): readonly Cause[] =>
  value === undefined || supported.includes(String(value)) ? [] : [notSupported(field, value, supported)]

/** Wrong where it is given and below the least. */
export const atLeast = (field: string, value: unknown, least: number): readonly Cause[] =>
  typeof value === 'number' && value < least ? [wrong(field, value, `must be greater than or equal to ${least}`)] : []

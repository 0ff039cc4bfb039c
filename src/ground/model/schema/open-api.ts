import type { FieldRule } from './field-rule.ts'

/** A structural OpenAPI v3 schema, as far as our CustomResourceDefinitions use it, and the rules of its fields. */
export interface Schema {
  readonly description?: string
  readonly type?: 'object' | 'array' | 'string' | 'integer' | 'boolean'
  readonly format?: 'int32' | 'int64' | 'date-time'
  readonly default?: string | number | boolean
  readonly enum?: readonly string[]
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly minProperties?: number
  readonly maxProperties?: number
  readonly required?: readonly string[]
  readonly properties?: Fields
  readonly items?: Schema
  readonly additionalProperties?: Schema
  readonly 'x-kubernetes-int-or-string'?: true
  readonly 'x-kubernetes-preserve-unknown-fields'?: true
  readonly 'x-kubernetes-list-type'?: 'set' | 'map'
  readonly 'x-kubernetes-list-map-keys'?: readonly string[]
  /** In a CustomResourceDefinition they are CEL, in `x-kubernetes-validations`. */
  readonly rules?: readonly FieldRule[]
}

export type Fields = Readonly<Record<string, Schema>>

/** The properties of a field beyond its type. */
export type Rest = Omit<Schema, 'description' | 'type'>

export const object = (description: string, properties: Fields, rest: Rest = {}): Schema => ({
  description,
  type: 'object',
  ...rest,
  properties,
})

export const list = (description: string, items: Schema, rest: Rest = {}): Schema => ({
  description,
  type: 'array',
  ...rest,
  items,
})

export const text = (description: string, rest: Rest = {}): Schema => ({ description, type: 'string', ...rest })

export const integer = (description: string, rest: Rest = {}): Schema => ({
  description,
  type: 'integer',
  format: 'int32',
  ...rest,
})

export const flag = (description: string, rest: Rest = {}): Schema => ({ description, type: 'boolean', ...rest })

/** One of these words, the first of which is the default. */
export const choice = (description: string, words: readonly [string, ...string[]]): Schema => ({
  description,
  type: 'string',
  enum: words,
  default: words[0],
})

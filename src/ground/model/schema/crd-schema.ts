import type { FieldRule } from './field-rule.ts'
import type { Schema } from './open-api.ts'

/** The schema as a CustomResourceDefinition has it, with its rules in CEL. */
export function crdSchema(schema: Schema): object {
  const { rules, properties, items, additionalProperties, ...rest } = schema
  return {
    ...rest,
    ...(rules === undefined ? {} : { 'x-kubernetes-validations': rules.map(validation) }),
    ...(properties === undefined ? {} : { properties: ofEach(properties) }),
    ...(items === undefined ? {} : { items: crdSchema(items) }),
    ...(additionalProperties === undefined ? {} : { additionalProperties: crdSchema(additionalProperties) }),
  }
}

const ofEach = (properties: Readonly<Record<string, Schema>>): object =>
  Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, crdSchema(field)]))

const validation = ({ cel, message, fix, below }: FieldRule): object => ({
  rule: cel,
  message: `${message}: ${fix}`,
  ...(below === '' ? {} : { fieldPath: below }),
})

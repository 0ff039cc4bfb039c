import { z } from 'zod'
import { rollFileSchema } from './schema/roll-file-schema.ts'

/** The parts of JSON Schema (2020-12) that this file's schema uses. */
export interface JsonSchema {
  readonly $schema?: string
  readonly title?: string
  readonly description?: string
  readonly type?: string
  readonly default?: unknown
  readonly examples?: readonly unknown[]
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly pattern?: string
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | JsonSchema
  readonly items?: JsonSchema
  readonly anyOf?: readonly JsonSchema[]
  readonly minimum?: number
  readonly maximum?: number
}

/** The schema of roll.yaml as people write it: for editors, the reference and error texts. */
export function rollFileJsonSchema(): JsonSchema {
  return z.toJSONSchema(rollFileSchema, { io: 'input', override: keepExamples }) as JsonSchema
}

/** zod leaves examples out where a value is transformed, since it does not know that ours are written as in the file. */
const keepExamples: NonNullable<z.core.ToJSONSchemaParams['override']> = ({ zodSchema, jsonSchema }) => {
  const examples = z.globalRegistry.get(zodSchema)?.examples
  if (Array.isArray(examples)) jsonSchema.examples = examples
}

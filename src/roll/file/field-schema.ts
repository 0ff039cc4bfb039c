import type { JsonSchema } from './roll-file-json-schema.ts'
import type { Path } from './yaml-tree.ts'

/** The schema of the field at `path`; for a choice, the branch that has the field. */
export function fieldSchema(root: JsonSchema, path: Path): JsonSchema | undefined {
  let current: JsonSchema | undefined = root
  for (const step of path) current = current && stepInto(current, step)
  return current
}

function stepInto(schema: JsonSchema, step: string | number): JsonSchema | undefined {
  if (typeof step === 'number') return schema.items
  const own = schema.properties
  if (own !== undefined && Object.hasOwn(own, step)) return own[step]
  if (typeof schema.additionalProperties === 'object') return schema.additionalProperties
  return schema.anyOf?.map((branch) => stepInto(branch, step)).find((found) => found !== undefined)
}

/** Names of the fields of a section, in the order of the reference; without those that are not built yet. */
export function knownFields(schema: JsonSchema | undefined): readonly string[] {
  const sections = [schema, ...(schema?.anyOf ?? [])]
  const properties = sections.find((candidate) => candidate?.properties !== undefined)?.properties ?? {}
  return Object.keys(properties).filter((name) => properties[name]?.title !== 'not yet')
}

/** `spec.probes[0].url`; the file itself is `the file`. */
export function pathText(path: Path): string {
  if (path.length === 0) return 'the file'
  return path
    .map((step, index) => (typeof step === 'number' ? `[${step}]` : `${index === 0 ? '' : '.'}${step}`))
    .join('')
}

import type { JsonSchema } from '../../roll/file/roll-file-json-schema.ts'
import { writtenValue } from '../../roll/file/shown-value.ts'

/**
 * What `kubectl explain` says of a field of a roll file: its meaning, and what may be written. The schema of a Roll has no bounds and defaults
 * itself: the controller checks a file as the command does, and its answer names the fix.
 */
export function explainedField(field: JsonSchema, isRequired: boolean): string {
  const { description = '', title = '', minimum, maximum, default: preset, examples: [example] = [] } = field
  const isSection = title === 'section'
  // A field that takes several types has none in the schema.
  const isMixed = !isSection && (field.anyOf !== undefined || field.type === undefined)
  const isNew = example !== undefined && JSON.stringify(example) !== JSON.stringify(preset)
  const parts = [
    ...(isMixed && title !== '' ? [`Form: ${title}`] : []),
    ...(minimum === undefined ? [] : [`From ${minimum} to ${maximum}`]),
    ...(isRequired ? ['Required'] : []),
    ...(preset === undefined || isSection ? [] : [`Default: ${writtenValue(preset)}`]),
    ...(isSection || !isNew ? [] : [`Example: ${writtenValue(example)}`]),
  ]
  return [description, ...parts.map((part) => `${part}.`)].filter((part) => part !== '').join(' ')
}

import { z } from 'zod'
import { type FieldText, fieldMeta } from './section.ts'

interface TextRule extends FieldText {
  readonly title: string
  readonly pattern: RegExp
  /** The pattern in words: the hint of the error. */
  readonly rule: string
  readonly maxLength?: number
}

/** Text that must match a pattern; the pattern is in the JSON schema, the words in the error. */
export const textField = ({ title, pattern, rule, maxLength = 253, ...facts }: TextRule) =>
  z.string().max(maxLength).regex(pattern, rule).meta(fieldMeta(title, facts))

/** Names that are shown in columns and used in keys. */
export const nameField = (facts: FieldText) =>
  textField({
    ...facts,
    title: 'name',
    pattern: /^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$/,
    rule: 'letters, digits, "-", "_" and "."; begins and ends with a letter or digit',
    maxLength: 63,
  })

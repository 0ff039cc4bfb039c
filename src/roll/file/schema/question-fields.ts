import { z } from 'zod'
import { urlFault } from '../../../ground/model/hold-url.ts'
import { onlyPlaceholders } from './placeholders.ts'
import { type FieldText, fieldMeta } from './section.ts'

const argument = z
  .string()
  .max(4096)
  .regex(/^[^\u0000]*$/, 'text without NUL')
  .meta({ title: 'argument' })

/** A command as a list of arguments, the program first; it is run without a shell. */
export const argumentsField = (text: FieldText, placeholders: readonly string[] = ['node', 'address']) =>
  z
    .array(argument)
    .min(1)
    .superRefine(
      (words, context) => {
        if (!Array.isArray(words) || words.length === 0 || (words[0] !== '' && words[0] !== undefined)) return
        const params = { code: 'config.choice', fix: 'begin with the program: [/usr/local/bin/program, "{node}"]' }
        context.addIssue({ code: 'custom', message: 'the command has no program', path: [0], params })
      },
      { when: () => true },
    )
    .superRefine(onlyPlaceholders(...placeholders), { when: () => true })
    .meta(fieldMeta('list', text))

/** A URL that may contain `{node}` and `{address}`. */
export const nodeUrlField = (text: FieldText) =>
  z
    .string()
    .max(2000)
    .superRefine((text, context) => {
      const fault = urlFault(text)
      if (fault === undefined) return
      context.addIssue({
        code: 'custom',
        message: `"${text}" cannot be queried: ${fault}`,
        params: { code: 'config.url' },
      })
    })
    .meta(fieldMeta('url', text))

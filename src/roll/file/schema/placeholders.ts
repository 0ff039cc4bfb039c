import type { z } from 'zod'
import { nearestName } from '../../../ground/text/nearest-name.ts'

/** Words in braces that people write for a node or a machine, wherever they are filled in. */
const MEANT: readonly string[] = [
  'node',
  'address',
  'port',
  'bootId',
  'host',
  'ssh',
  'name',
  'hostname',
  'nodeName',
  'ip',
]
/** Not what a shell, `printf` or a template has: `${word}`, `%{word}`, `{{word}}`. */
const IN_BRACES = /(?<![$%{\\])\{([A-Za-z_]+)\}(?!\})/g

/** Refuses a word in braces that stays as it is, but was most likely meant to be filled in. Other words are left alone: `awk '{print}'`. */
export const onlyPlaceholders =
  (...known: readonly string[]) =>
  (value: unknown, context: z.core.$RefinementCtx<unknown>): void => {
    const texts = Array.isArray(value) ? value : [value]
    for (const [at, text] of texts.entries()) {
      const stranger = typeof text === 'string' ? strangerIn(text, known) : undefined
      if (stranger === undefined) continue
      const [first] = known
      const params = {
        code: 'config.placeholder',
        ...(first === undefined ? {} : { hint: `filled in here: ${known.map((word) => `{${word}}`).join(', ')}` }),
        fix:
          first === undefined
            ? 'leave it out: the command runs on the machine itself'
            : `write {${nearestName(stranger, known) ?? first}}`,
      }
      const path = Array.isArray(value) ? [at] : []
      context.addIssue({ code: 'custom', message: `{${stranger}} is no placeholder`, path, params })
    }
  }

const strangerIn = (text: string, known: readonly string[]): string | undefined =>
  [...text.matchAll(IN_BRACES)]
    .map(([, word = '']) => word)
    .find(
      (word) =>
        !known.includes(word) && (word.length > 2 ? nearestName(word, MEANT) : MEANT.find((one) => one === word)),
    )

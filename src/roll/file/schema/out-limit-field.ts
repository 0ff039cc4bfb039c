import { z } from 'zod'
import { type OutLimit, parseOutLimit } from '../../../ground/model/out-limit.ts'
import { type FieldText, fieldMeta } from './section.ts'

/** How many nodes: a number, or a share like `25%`. */
export const outLimitField = (text: FieldText) =>
  z
    .union([z.int(), z.string()])
    .transform((value, context): OutLimit => {
      const limit = parseOutLimit(String(value))
      if (limit !== undefined) return limit
      const params = { code: 'config.range', hint: 'a whole number of 1 or more, or a percentage from 1% to 100%' }
      context.addIssue({ code: 'custom', message: `"${value}" is not a number of nodes`, params })
      return z.NEVER
    })
    .meta(fieldMeta('number or percentage', text))

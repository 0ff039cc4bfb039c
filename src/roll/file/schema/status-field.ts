import { z } from 'zod'
import { fieldMeta } from './section.ts'
import { textField } from './text-field.ts'

type StatusRange = readonly [low: number, high: number]

const oneStatus = z
  .int()
  .min(100)
  .max(599)
  .transform((status): StatusRange => [status, status])

const range = z
  .string()
  .regex(/^[1-5][0-9]{2}(-[1-5][0-9]{2})?$/, 'one status or a range: 200, 200-399')
  .transform((text, context): StatusRange => {
    const low = Number(text.slice(0, 3))
    const high = Number(text.slice(-3))
    if (low <= high) return [low, high]
    context.addIssue({ code: 'custom', message: 'the range ends before it begins' })
    return z.NEVER
  })

export const expectStatusField = z.union([oneStatus, range]).meta(
  fieldMeta('status', {
    description: 'HTTP statuses that count as good: one, or a range. Redirects are not followed.',
    example: '200-299',
  }),
)

/** Text that the body of an answer must contain. */
export const expectBodyField = (description: string, example: string) =>
  textField({ title: 'text', pattern: /./, rule: 'some text', maxLength: 4096, description, example })

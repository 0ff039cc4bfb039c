import { z } from 'zod'
import { publicUrlFault } from '../../../ground/model/hold-url.ts'
import { fieldMeta } from './section.ts'

/** The URL is checked here and kept as written: people see again what they wrote. */
export const urlField = z
  .string()
  .max(2048)
  .superRefine((text, context) => {
    const fault = publicUrlFault(text)
    if (fault !== undefined) context.addIssue({ code: 'custom', message: fault, params: { code: 'config.url' } })
  })
  .meta(
    fieldMeta('url', {
      description: 'The http or https URL, as a client outside the cluster reaches it.',
      example: 'https://app.example.com/',
    }),
  )

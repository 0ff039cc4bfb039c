import { z } from 'zod'
import { fieldMeta } from './section.ts'

/** The URL is checked here and kept as written: people see again what they wrote. */
export const urlField = z
  .string()
  .max(2048)
  .superRefine((text, context) => {
    const fault = urlFault(text)
    if (fault !== undefined) context.addIssue({ code: 'custom', message: fault, params: { code: 'config.url' } })
  })
  .meta(
    fieldMeta('url', {
      description: 'The http or https URL, as a client outside the cluster reaches it.',
      example: 'https://app.example.com/',
    }),
  )

function urlFault(text: string): string | undefined {
  if (/[\s\u0000-\u001f\u007f]/.test(text) || !URL.canParse(text)) return `"${text}" is not a URL`
  const { protocol, username, password } = new URL(text)
  if (protocol !== 'http:' && protocol !== 'https:') return `"${text}" is neither http nor https`
  // A password would be shown in the plan, the journal and the report.
  return username === '' && password === '' ? undefined : 'the URL carries a user or a password'
}

import type { z } from 'zod'

const SOCKET_FIELDS = ['instances', 'backends'] as const

type Ways = Readonly<Record<string, { readonly instead: string }>>

/** A balancer has instances with backends, or one of these ways, each a field of its own. */
export function socketOrWay(ways: Ways): (value: unknown, context: z.core.$RefinementCtx<unknown>) => void {
  const names = Object.keys(ways)
  const hint = `or ${names
    .map((name) => `"${name}"`)
    .join(', ')
    .replace(/, ([^,]+)$/, ' or $1')}`
  return (value, context) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return
    const [way, second] = names.filter((name) => name in value)
    if (way !== undefined && second !== undefined) {
      const params = { code: 'config.choice', fix: `keep one of: ${way}, ${second}`, at: 'key' }
      const message = `"${second}" beside "${way}": only one may be written`
      context.addIssue({ code: 'custom', message, path: [second], params })
    }
    for (const field of SOCKET_FIELDS) {
      if (way !== undefined && field in value) {
        const params = { code: 'config.choice', fix: `remove "${field}" or "${way}"`, at: 'key' }
        const message = `"${field}" beside "${way}": ${ways[way]?.instead}`
        context.addIssue({ code: 'custom', message, path: [field], params })
      }
      if (way === undefined && !(field in value)) {
        const params = {
          code: 'config.missing-field',
          hint,
          fix: EXAMPLES[field],
        }
        context.addIssue({ code: 'custom', message: `missing field "${field}"`, params })
      }
    }
  }
}

const EXAMPLES = {
  instances: 'instances: [{ name: lb-1, socket: /run/haproxy/admin.sock }]',
  backends: 'backends: [web]',
} as const

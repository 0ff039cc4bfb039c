import type { z } from 'zod'

const SOCKET_FIELDS = ['instances', 'backends'] as const

/** A balancer is reached by its instances, each of which has its backends, or by the health endpoint of the nodes. */
export function socketOrEndpoint(value: unknown, context: z.core.$RefinementCtx<unknown>): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return
  const hasEndpoint = 'healthEndpoint' in value
  for (const field of SOCKET_FIELDS) {
    if (hasEndpoint && field in value) {
      const params = { code: 'config.choice', fix: `take out "${field}" or "healthEndpoint"`, at: 'key' }
      const message = `"${field}" beside "healthEndpoint": the nodes' agents are asked, and no balancer`
      context.addIssue({ code: 'custom', message, path: [field], params })
    }
    if (!hasEndpoint && !(field in value)) {
      const params = { code: 'config.missing-field', hint: 'or "healthEndpoint"', fix: EXAMPLES[field] }
      context.addIssue({ code: 'custom', message: `missing field "${field}"`, params })
    }
  }
}

const EXAMPLES = {
  instances: 'instances: [{ name: lb-1, socket: /run/haproxy/admin.sock }]',
  backends: 'backends: [web]',
} as const

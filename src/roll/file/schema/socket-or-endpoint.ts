import type { z } from 'zod'

const SOCKET_FIELDS = ['instances', 'backends'] as const

/** What is asked where no balancer can be. */
const INSTEAD = {
  healthEndpoint: 'the roll queries the agents of the nodes, and no balancer',
  healthCheck: 'the roll sets a mark on each Node, and queries no balancer',
  annotation: 'the roll sends its request to the detacher, and queries no balancer',
  commands: 'the commands are run for each node',
} as const
const WAYS = ['healthEndpoint', 'healthCheck', 'annotation', 'commands'] as const

/**
 * A balancer is reached by its instances, each of which has its backends, by the health endpoint of the nodes, by a mark on
 * each Node, by a detacher, or by commands.
 */
export function socketOrEndpoint(value: unknown, context: z.core.$RefinementCtx<unknown>): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return
  const [way, second] = WAYS.filter((name) => name in value)
  if (way !== undefined && second !== undefined) {
    const params = { code: 'config.choice', fix: `keep one of: ${way}, ${second}`, at: 'key' }
    const message = `"${second}" beside "${way}": only one may be written`
    context.addIssue({ code: 'custom', message, path: [second], params })
  }
  for (const field of SOCKET_FIELDS) {
    if (way !== undefined && field in value) {
      const params = { code: 'config.choice', fix: `remove "${field}" or "${way}"`, at: 'key' }
      const message = `"${field}" beside "${way}": ${INSTEAD[way]}`
      context.addIssue({ code: 'custom', message, path: [field], params })
    }
    if (way === undefined && !(field in value)) {
      const params = {
        code: 'config.missing-field',
        hint: 'or "healthEndpoint", "healthCheck", "annotation" or "commands"',
        fix: EXAMPLES[field],
      }
      context.addIssue({ code: 'custom', message: `missing field "${field}"`, params })
    }
  }
}

const EXAMPLES = {
  instances: 'instances: [{ name: lb-1, socket: /run/haproxy/admin.sock }]',
  backends: 'backends: [web]',
} as const

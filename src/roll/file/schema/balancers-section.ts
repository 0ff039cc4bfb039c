import { z } from 'zod'
import { annotationSection } from './annotation-section.ts'
import { commandsSection } from './commands-section.ts'
import { atMostOneOf, exactlyOneOf, uniqueBy, uniqueInstances } from './cross-rules.ts'
import { healthCheckSection } from './health-check-section.ts'
import { healthEndpointSection } from './health-endpoint-section.ts'
import { fieldMeta, section } from './section.ts'
import { socketOrEndpoint } from './socket-or-endpoint.ts'
import { switchField } from './switch-field.ts'
import { nameField, textField } from './text-field.ts'

const socketPath = textField({
  title: 'path',
  pattern: /^\/[^\u0000-\u001f\u007f]*$/,
  rule: 'an absolute path',
  description: 'Unix socket of the runtime API on this machine, `level admin`.',
  example: '/run/haproxy/admin.sock',
})

const sshHost = textField({
  title: 'host',
  pattern: /^[A-Za-z0-9_[][^\s\u0000-\u001f\u007f]*$/,
  rule: 'a host as `ssh` accepts it, optionally with user and "@" before it',
  description: 'Host as `ssh` accepts it; your own ssh configuration applies.',
  example: 'lb-1.example.com',
})

const instance = section(
  {
    name: nameField({ description: 'What this process is called in plans, progress and reports.', example: 'lb-1' }),
    socket: socketPath.exactOptional(),
    tcp: textField({
      title: 'host:port',
      pattern: /^([A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?|\[[0-9A-Fa-f:.]+\]):[0-9]{1,5}$/,
      rule: 'host and port; an IPv6 address in brackets',
      description: 'Runtime API bound to TCP.',
      example: '10.0.0.5:9999',
    })
      .superRefine((text, context) => {
        const port = Number(text.slice(text.lastIndexOf(':') + 1))
        if (port < 1 || port > 65_535)
          context.addIssue({ code: 'custom', message: 'a port is 1 to 65535', params: { code: 'config.range' } })
      })
      .exactOptional(),
    ssh: section({ host: sshHost, socket: socketPath }, 'A unix socket on another machine, reached by `ssh`.')
      .meta({ examples: [{ host: 'lb-1.example.com', socket: '/run/haproxy/admin.sock' }] })
      .exactOptional(),
    masterSocket: textField({
      title: 'path',
      pattern: /^\/[^\u0000-\u001f\u007f]*$/,
      rule: 'an absolute path',
      description:
        'Unix socket of the HAProxy master (`haproxy -S`, 2.5 or later), on the machine of `socket` or `ssh`. With it, what processes from before a reload still serve counts too.',
      example: '/run/haproxy-master.sock',
    }).exactOptional(),
  },
  'One balancer process, with one of `socket`, `tcp` and `ssh`.',
)
  .superRefine(exactlyOneOf(['socket', 'tcp', 'ssh'], 'socket: /run/haproxy/admin.sock'), { when: () => true })
  .superRefine(atMostOneOf(['tcp', 'masterSocket']), { when: () => true })

const backend = textField({
  title: 'backend',
  pattern: /^[A-Za-z0-9_.:-]+$/,
  rule: 'letters, digits, "-", "_", "." and ":"',
  description: 'Name of the backend in HAProxy.',
  example: 'web',
})

const balancer = section(
  {
    name: nameField({ description: 'Name of this balancer.', example: 'edge' }),
    instances: z
      .array(instance)
      .min(1)
      .meta(fieldMeta('list', { description: 'Every process that carries the traffic; for a pair, both.' }))
      .exactOptional(),
    backends: z
      .array(backend)
      .min(1)
      .superRefine(uniqueBy(), { when: () => true })
      .meta(
        fieldMeta('list', {
          description: 'The only backends whose servers are ever touched. Servers are matched to nodes by address.',
          example: ['web'],
        }),
      )
      .exactOptional(),
    healthEndpoint: healthEndpointSection.exactOptional(),
    healthCheck: healthCheckSection.exactOptional(),
    annotation: annotationSection.exactOptional(),
    commands: commandsSection.exactOptional(),
    allowLastServer: switchField(
      'Take a node out even if it is the last usable server of a backend (pools of one node).',
      false,
    ),
  },
  'One balancer: one or more instances with the same backends; all balancers that check the health endpoint of the nodes, which agents answer, or a mark on the Node decides; the balancers that a detacher manages; or a balancer that commands of yours manage.',
).superRefine(socketOrEndpoint, { when: () => true })

export const balancersSection = z
  .array(balancer)
  .superRefine(uniqueBy('name'), { when: () => true })
  .superRefine(uniqueInstances, { when: () => true })
  .meta(fieldMeta('list', { description: 'The load balancers that send traffic to the nodes.' }))
  .prefault([])

import type { z } from 'zod'
import { present } from '../../../ground/model/present.ts'
import type { HaproxyInstance, InstanceAddress } from '../../../service/model/balancer-spec.ts'
import { atMostOneOf, exactlyOneOf } from './cross-rules.ts'
import { section } from './section.ts'
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

export const instanceSection = section(
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

export const backendField = textField({
  title: 'backend',
  pattern: /^[A-Za-z0-9_.:-]+$/,
  rule: 'letters, digits, "-", "_", "." and ":"',
  description: 'Name of the backend in HAProxy.',
  example: 'web',
})

type InstanceFields = z.output<typeof instanceSection>

export const instanceOf = ({ name, masterSocket, ...way }: InstanceFields): HaproxyInstance => ({
  name,
  address: addressOf(way),
  ...present({ masterSocket }),
})

function addressOf({ socket, tcp, ssh }: Pick<InstanceFields, 'socket' | 'tcp' | 'ssh'>): InstanceAddress {
  if (ssh !== undefined) return { kind: 'ssh', host: ssh.host, path: ssh.socket }
  if (tcp === undefined) return { kind: 'unix', path: socket ?? '' }
  const colon = tcp.lastIndexOf(':')
  return { kind: 'tcp', host: tcp.slice(0, colon).replace(/^\[(.*)\]$/, '$1'), port: Number(tcp.slice(colon + 1)) }
}

import { isIPv6 } from 'node:net'
import { WorldError } from '../../../../ground/model/world-error.ts'
import type { InstanceAddress } from '../../../model/balancer-spec.ts'

/** The line of haproxy.cfg that gives a socket the right to set states. */
export function adminSocketLine(address: InstanceAddress): string {
  if (address.kind !== 'tcp') return `stats socket ${address.path} mode 660 level admin`
  return `stats socket ${isIPv6(address.host) ? 'ipv6' : 'ipv4'}@${addressText(address)} level admin`
}

export function addressText(address: InstanceAddress): string {
  switch (address.kind) {
    case 'unix':
      return address.path
    case 'tcp':
      return `${isIPv6(address.host) ? `[${address.host}]` : address.host}:${address.port}`
    case 'ssh':
      return `${address.path} on ${address.host}`
  }
}

export const unreachable = (text: string, cause?: unknown): WorldError =>
  new WorldError(text, { code: 'BALANCER_UNREACHABLE', retry: 'backoff', cause })

export const badReply = (text: string, cause?: unknown): WorldError =>
  new WorldError(text, { code: 'BALANCER_REPLY', retry: 'backoff', cause })

export const timedOut = (text: string): WorldError =>
  new WorldError(text, { code: 'BALANCER_TIMEOUT', retry: 'backoff' })

export const notPermitted = (text: string, cause?: unknown): WorldError =>
  new WorldError(text, { code: 'BALANCER_PERMISSION', retry: 'never', cause })

/** The system's name of an error, `ECONNREFUSED`; empty where it has none. */
export function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}

/** An error for a connection that failed before a byte of the answer came. */
export function connectionError(error: unknown): WorldError {
  const code = errorCode(error)
  if (code === 'EACCES' || code === 'EPERM') {
    return notPermitted(
      'this user is not allowed to open the socket: its mode or group in haproxy.cfg must allow it',
      error,
    )
  }
  const why = CONNECTION_WORDS[code] ?? (error instanceof Error ? error.message : code)
  return unreachable(why, error)
}

const CONNECTION_WORDS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such socket',
  ECONNREFUSED: 'no process listens there',
  ECONNRESET: 'the connection was reset before an answer came',
  EHOSTUNREACH: 'no route to the host',
  ENETUNREACH: 'no route to the network',
  ETIMEDOUT: 'the host does not answer',
  ENOTFOUND: 'the host name does not resolve',
  EAI_AGAIN: 'the host name cannot be resolved now',
}

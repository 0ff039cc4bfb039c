import type { Clock } from '../../../../ground/ports/clock.ts'
import type { Random } from '../../../../ground/ports/random.ts'
import type { InstanceAddress } from '../../../model/balancer-spec.ts'
import { exchange } from './exchange.ts'
import { type RuntimeSocket, type SocketLimits, USUAL_LIMITS } from './runtime-socket.ts'
import { SshSocket } from './ssh-socket.ts'

export interface SocketSettings {
  readonly clock: Clock
  /** Spreads the logins of many instances in time. */
  readonly random: Random
  readonly limits?: SocketLimits
  readonly sshConfigFile?: string
}

/** The socket of an instance. Opens nothing yet. UserError where ssh cannot take the address. */
export function openSocket(address: InstanceAddress, settings: SocketSettings): RuntimeSocket {
  const { clock, limits = USUAL_LIMITS } = settings
  if (address.kind === 'ssh') return new SshSocket(address, { ...settings, limits })
  const at = address.kind === 'unix' ? { path: address.path } : { host: address.host, port: address.port }
  return {
    send: (line, signal) => exchange({ at, limits, clock }, line, signal),
    // Every line has a connection of its own, which ended with it.
    close: () => Promise.resolve(),
  }
}

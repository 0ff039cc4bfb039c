import { untilAborted } from '../../../../ground/model/until-aborted.ts'
import { UserError } from '../../../../ground/model/user-error.ts'
import { WorldError } from '../../../../ground/model/world-error.ts'
import type { Clock } from '../../../../ground/ports/clock.ts'
import type { Random } from '../../../../ground/ports/random.ts'
import { exchange } from './exchange.ts'
import { LoginPause } from './login-pause.ts'
import type { RuntimeSocket, SocketLimits } from './runtime-socket.ts'
import { errorCode, timedOut, unreachable } from './socket-error.ts'
import { SshTunnel, type TunnelEnds } from './ssh-tunnel.ts'
import { withDeadline } from './with-deadline.ts'

interface SshAddress {
  readonly host: string
  readonly path: string
}

interface SshSettings {
  readonly clock: Clock
  readonly random: Random
  readonly limits: SocketLimits
  readonly sshConfigFile?: string
}

/** Paths that `-L` takes literally: no colon, no `%` token, no `${…}`. */
const FORWARDABLE_PATH = /^\/[A-Za-z0-9_.@+,=/-]+$/
const LOGIN_DEADLINE_MS = 10_000
const CLOSE_DEADLINE_MS = 2_000

/**
 * A runtime API on another host: the first line opens the tunnel, the next line opens it again after a break, and `close` ends
 * it.
 */
export class SshSocket implements RuntimeSocket {
  readonly #ends: TunnelEnds
  readonly #settings: SshSettings
  readonly #closed = new AbortController()
  readonly #closing = new Set<Promise<void>>()
  readonly #pause: LoginPause
  #tunnel: Promise<SshTunnel> | undefined

  constructor(address: SshAddress, settings: SshSettings) {
    if (!FORWARDABLE_PATH.test(address.path) || address.host.startsWith('-')) {
      throw new UserError(`ssh cannot be given the path of the socket ${address.path} on ${address.host}`, {
        code: 'BALANCER_ADDRESS',
        fix: 'give the stats socket a path of letters, digits and _ . @ + , = / -',
      })
    }
    this.#ends = { host: address.host, remotePath: address.path, configFile: settings.sshConfigFile }
    this.#settings = settings
    this.#pause = new LoginPause(settings.clock, settings.random)
  }

  async send(line: string, signal: AbortSignal): Promise<string> {
    const tunnel = this.#open()
    try {
      return await this.#sendBy(tunnel, line, signal)
    } catch (error) {
      if (!isBroken(error) && !isLate(error)) throw error
      if (this.#tunnel === tunnel) this.#pause.broke(error)
      this.#forget(tunnel)
      if (isLate(error)) throw error
    }
    // The connection has ended since the last line, by idleness or by the network: this line was not sent yet.
    return this.#sendBy(this.#open(), line, signal)
  }

  async close(): Promise<void> {
    this.#closed.abort(unreachable('the way to the balancer was closed'))
    if (this.#tunnel !== undefined) this.#forget(this.#tunnel)
    await Promise.all(this.#closing)
  }

  async #sendBy(tunnel: Promise<SshTunnel>, line: string, signal: AbortSignal): Promise<string> {
    const { path } = await untilAborted(tunnel, signal)
    try {
      const answer = await exchange({ at: { path }, ...this.#settings }, line, signal)
      this.#pause.worked()
      return answer
    } catch (error) {
      if (!(error instanceof WorldError) || error.code !== 'BALANCER_UNREACHABLE' || isBroken(error)) throw error
      throw unreachable(
        `ssh reaches ${this.#ends.host}, but nothing answers at the socket: it must exist, its group must let the ssh ` +
          'user in, and sshd must have AllowStreamLocalForwarding',
        error,
      )
    }
  }

  /** One login serves all lines and callers, so no single caller's signal ends it. There is a pause after a login that failed. */
  #open(): Promise<SshTunnel> {
    if (this.#tunnel !== undefined) return this.#tunnel
    const refusal = this.#pause.refusal()
    if (refusal !== undefined) return Promise.reject(refusal)
    const late = (): Error => timedOut(`no login by ssh within ${LOGIN_DEADLINE_MS} ms`)
    const limit = { clock: this.#settings.clock, ms: LOGIN_DEADLINE_MS, late }
    const tunnel = withDeadline(limit, this.#closed.signal, (signal) => SshTunnel.open(this.#ends, signal))
    this.#tunnel = tunnel
    tunnel.catch((error: unknown) => {
      if (error instanceof WorldError) this.#pause.failed(error)
      this.#forget(tunnel)
    })
    return tunnel
  }

  #forget(tunnel: Promise<SshTunnel>): void {
    if (this.#tunnel === tunnel) this.#tunnel = undefined
    // A directory that is left is no reason to fail; the connection ends by itself.
    const closing = tunnel.then((opened) => this.#close(opened)).catch(() => undefined)
    this.#closing.add(closing)
    void closing.finally(() => this.#closing.delete(closing))
  }

  #close(tunnel: SshTunnel): Promise<void> {
    const limit = { clock: this.#settings.clock, ms: CLOSE_DEADLINE_MS, late: () => timedOut('ssh does not end') }
    return withDeadline(limit, new AbortController().signal, (signal) => tunnel.close(signal))
  }
}

const LOCAL_END_GONE: ReadonlySet<string> = new Set(['ENOENT', 'ECONNREFUSED'])

function isBroken(error: unknown): error is WorldError {
  return error instanceof WorldError && LOCAL_END_GONE.has(errorCode(error.cause))
}

function isLate(error: unknown): error is WorldError {
  return error instanceof WorldError && error.code === 'BALANCER_TIMEOUT'
}

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runSsh } from './run-ssh.ts'

export interface TunnelEnds {
  /** As `ssh` takes it: a host or alias, with or without user. */
  readonly host: string
  readonly remotePath: string
  readonly configFile: string | undefined
}

/**
 * No terminal and no question. No forwarding, command or agent of the user's configuration, which could fail beside ours. A
 * dead network is noticed in 10 s. `ControlPersist` ends an unused connection, also after we were killed.
 */
const MASTER_OPTIONS = [
  'BatchMode=yes',
  'ControlPersist=60',
  'ClearAllForwardings=yes',
  'ForwardAgent=no',
  'ForwardX11=no',
  'RemoteCommand=none',
  'PermitLocalCommand=no',
  'RequestTTY=no',
  'ConnectTimeout=8',
  'ServerAliveInterval=5',
  'ServerAliveCountMax=2',
  'LogLevel=ERROR',
].flatMap((option) => ['-o', option])

/**
 * An ssh connection of our own that joins a socket here to a socket there. The far side needs neither tool nor shell, and
 * parses no text of ours. A line costs a channel and no login.
 */
export class SshTunnel {
  readonly path: string
  readonly #directory: string
  readonly #ends: TunnelEnds
  readonly #control: readonly string[]

  private constructor(directory: string, ends: TunnelEnds) {
    this.#directory = directory
    this.#ends = ends
    this.#control = ['-S', join(directory, 'c')]
    this.path = join(directory, 's')
  }

  /** WorldError BALANCER_UNREACHABLE with what ssh said; the signal's reason when it fires. */
  static async open(ends: TunnelEnds, signal: AbortSignal): Promise<SshTunnel> {
    // Only its owner may enter: a process that reaches the socket controls the balancer. Names are short for sun_path.
    const tunnel = new SshTunnel(await mkdtemp(join(tmpdir(), 'evenkeel-')), ends)
    try {
      await tunnel.#start(signal)
      return tunnel
    } catch (error) {
      await tunnel.close(signal)
      throw error
    }
  }

  /** When the signal fires, the connection ends by itself. */
  async close(signal: AbortSignal): Promise<void> {
    // A refusal means that there is no master any more, which is the aim.
    await this.#tellMaster(['-O', 'exit'], signal).catch(() => undefined)
    await rm(this.#directory, { recursive: true, force: true })
  }

  async #start(signal: AbortSignal): Promise<void> {
    const { configFile, host, remotePath } = this.#ends
    const config = configFile === undefined ? [] : ['-F', configFile]
    await runSsh([...config, ...this.#control, '-M', '-N', ...MASTER_OPTIONS, '--', host], signal)
    await this.#tellMaster(['-O', 'forward', '-L', `${this.path}:${remotePath}`], signal)
  }

  #tellMaster(order: readonly string[], signal: AbortSignal): Promise<void> {
    return runSsh(['-F', 'none', ...this.#control, ...order, '--', this.#ends.host], signal)
  }
}

import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { findCommand } from '../../testbed/machine/find-command.ts'
import { childrenOf } from '../../testbed/machine/process-identity.ts'
import { waitFor } from '../../testbed/machine/wait-for.ts'
import { ephemeralPort } from './ephemeral-port.ts'

const PORTS_TRIED = 5

/** A real sshd on loopback with keys of its own, and an ssh configuration that knows it as `lb`. */
export class LocalSshd {
  readonly configFile: string
  readonly #directory: string
  #port = 0
  #daemon: ChildProcess | undefined
  #said = ''

  private constructor(directory: string) {
    this.#directory = directory
    this.configFile = join(directory, 'ssh_config')
  }

  /** `lines` are added to its sshd_config. */
  static async start(t: TestContext, lines: readonly string[] = []): Promise<LocalSshd> {
    const directory = await mkdtemp(join(tmpdir(), 'evenkeel-sshd-'))
    const sshd = new LocalSshd(directory)
    t.after(() => sshd.#discard())
    for (const name of ['host', 'user', 'stranger']) {
      spawnSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(directory, name)])
    }
    for (let tries = 1; ; tries += 1) {
      try {
        sshd.#port = await ephemeralPort()
        await sshd.#configure(lines)
        await sshd.launch()
        return sshd
      } catch (error) {
        // Another process may have taken the port meanwhile, and answers there.
        if (tries === PORTS_TRIED || !sshd.#said.includes('Address already in use')) throw error
      }
    }
  }

  async launch(): Promise<void> {
    // Started as root, sshd wants its empty directory, which a package makes only at boot.
    if (userInfo().uid === 0) await mkdir('/run/sshd', { recursive: true })
    const file = findCommand('sshd') ?? 'sshd'
    const daemon = spawn(file, ['-D', '-e', '-f', join(this.#directory, 'sshd_config')], {
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    daemon.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      this.#said = (this.#said + chunk).slice(-4_000)
    })
    this.#said = ''
    this.#daemon = daemon
    const wait = { what: 'sshd to listen', limitMs: 10_000, everyMs: 20, explain: () => this.#said }
    // By its own output: a process that answers at the port may be another one.
    await waitFor(wait, () => {
      if (daemon.exitCode !== null) throw new Error(`sshd ended: ${this.#said}`)
      return this.#said.includes(`listening on 127.0.0.1 port ${this.#port}`) ? true : undefined
    })
  }

  /** Ends it with every connection it serves. */
  async stop(): Promise<void> {
    const daemon = this.#daemon
    if (daemon?.pid === undefined || daemon.exitCode !== null) return
    const exited = once(daemon, 'exit')
    for (const child of childrenOf(daemon.pid)) process.kill(child, 'SIGKILL')
    daemon.kill('SIGTERM')
    await exited
  }

  /** How many connections it serves now. */
  async connections(): Promise<number> {
    const pid = this.#daemon?.pid
    return pid === undefined ? 0 : childrenOf(pid).length
  }

  async #configure(lines: readonly string[]): Promise<void> {
    const at = (name: string): string => join(this.#directory, name)
    const publicKey = await readFile(at('user.pub'), 'utf8')
    await writeFile(at('authorized_keys'), publicKey, { mode: 0o600 })
    const known = `[127.0.0.1]:${this.#port} ${await readFile(at('host.pub'), 'utf8')}`
    await writeFile(at('known_hosts'), known)
    await writeFile(
      at('sshd_config'),
      [
        `Port ${this.#port}`,
        'ListenAddress 127.0.0.1',
        `HostKey ${at('host')}`,
        `AuthorizedKeysFile ${at('authorized_keys')}`,
        `PidFile ${at('pid')}`,
        'StrictModes no',
        'PasswordAuthentication no',
        'KbdInteractiveAuthentication no',
        'UsePAM no',
        ...lines,
        '',
      ].join('\n'),
    )
    const host = (name: string, key: string): string => `Host ${name}
  HostName 127.0.0.1
  Port ${this.#port}
  User ${userInfo().username}
  IdentityFile ${at(key)}
  IdentitiesOnly yes
  UserKnownHostsFile ${at('known_hosts')}
  GlobalKnownHostsFile none
  StrictHostKeyChecking yes
`
    await writeFile(this.configFile, host('lb', 'user') + host('not-let-in', 'stranger'))
  }

  async #discard(): Promise<void> {
    await this.stop()
    await rm(this.#directory, { recursive: true, force: true })
  }
}

import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Bed } from '../../../testbed/bed.ts'
import { waitFor } from '../../../testbed/machine/wait-for.ts'

const RELAY = join(import.meta.dirname, 'ssh-relay.ts')
const NODE = [process.execPath, '--disable-warning=ExperimentalWarning']

/** Takes in all it is sent, says so, and begins with it a second later. */
const LATE = `script=$(cat)
touch /etc/evenkeel/heard
sleep 1
printf '%s\\n' "$script" | sh -s
`

/** The ssh to one machine, to be muted, frozen and cut while it is under way. */
export class SshLine {
  readonly node: string
  /** An ssh configuration for a program that is to go this way. */
  readonly configFile: string
  readonly #folder: string
  /** The machine's own `/etc/evenkeel`, as it lies on its disk. */
  readonly #etc: string
  readonly #key: string

  constructor(bed: Bed, node: string) {
    this.node = node
    this.#folder = mkdtempSync(join(bed.dir, 'line-'))
    this.#etc = join(bed.dir, 'nodes', node, 'etc/evenkeel')
    this.#key = readFileSync(this.#keys(), 'utf8')
    this.configFile = join(this.#folder, 'config')
    // It ends with its ssh, frozen or not.
    const relay = ['setpriv', '--pdeathsig=KILL', '--', ...NODE, RELAY, '%h', '%p', this.#folder]
    const entry = `Host ${node}\n  ProxyCommand ${relay.join(' ')}\n`
    writeFileSync(this.configFile, `${entry}\n${readFileSync(bed.sshConfig, 'utf8')}`, { mode: 0o600 })
  }

  /** From the next connection on nothing answers. */
  mute(): void {
    writeFileSync(this.#muted(), '')
  }

  /** From the next connection on the machine acts a second after it has heard everything. */
  delay(): void {
    writeFileSync(join(this.#etc, 'late'), LATE)
    writeFileSync(this.#keys(), `command="sh /etc/evenkeel/late" ${this.#key}`)
  }

  async heard(): Promise<void> {
    const marker = join(this.#etc, 'heard')
    await waitFor({ what: 'the machine to hear', limitMs: 30_000, everyMs: 20 }, () => existsSync(marker) || undefined)
  }

  /** Nothing passes any more, in either direction, and neither end is told. */
  freeze(): void {
    process.kill(this.#pid(), 'SIGSTOP')
  }

  /** Both ends see the connection closed. */
  cut(): void {
    process.kill(this.#pid(), 'SIGKILL')
  }

  mend(): void {
    rmSync(this.#muted(), { force: true })
    rmSync(join(this.#etc, 'heard'), { force: true })
    writeFileSync(this.#keys(), this.#key)
  }

  #pid(): number {
    return Number(readFileSync(join(this.#folder, 'pid'), 'utf8'))
  }

  #muted(): string {
    return join(this.#folder, 'mute')
  }

  #keys(): string {
    return join(this.#etc, 'authorized_keys')
  }
}

import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { waitFor } from '../../testbed/machine/wait-for.ts'

/**
 * Commands that stand in for the one that reboots: they write down that they ran, and do what the test says then. With
 * a `sudo` that lets everything pass, so that no test needs to be root.
 */
export class StandInCommands {
  readonly directory: string

  private constructor(directory: string) {
    this.directory = directory
  }

  static async make(t: TestContext): Promise<StandInCommands> {
    const directory = await mkdtemp(join(tmpdir(), 'evenkeel-reboot-'))
    await chmod(directory, 0o755)
    const commands = new StandInCommands(directory)
    t.after(async () => {
      for (const pid of (await commands.#read('pids')).trim().split('\n')) killIfThere(Number(pid))
      await rm(directory, { recursive: true, force: true })
    })
    await commands.script('sudo', '[ "$1 $2" = "-n -l" ] && exit 0; [ "$1" = "-n" ] && shift; exec "$@"')
    return commands
  }

  /** The words that run it as the reboot command; `then`: shell to go on with after it is written down. */
  async reboot(then = 'exit 0'): Promise<readonly [string, string, string]> {
    const at = this.directory
    const path = await this.script('reboot', `printf '%s\\n' "$*" >> ${at}/runs; echo $$ >> ${at}/pids; ${then}`)
    return [join(at, 'sudo'), '-n', path]
  }

  async script(name: string, body: string): Promise<string> {
    const path = join(this.directory, name)
    await writeFile(path, `#!/bin/sh\n${body}\n`)
    await chmod(path, 0o755)
    return path
  }

  /** How often the command ran. */
  async runs(): Promise<number> {
    return (await this.#read('runs')).split('\n').length - 1
  }

  /** Waits until a command has made that file. */
  async has(name: string): Promise<void> {
    const look = async () => (await readdir(this.directory)).includes(name) || undefined
    await waitFor({ what: `the file ${name}`, limitMs: 10_000, everyMs: 10 }, look)
  }

  async #read(name: string): Promise<string> {
    return readFile(join(this.directory, name), 'utf8').catch(() => '')
  }
}

function killIfThere(pid: number): void {
  if (!(pid > 0)) return
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}

import { chmodSync, linkSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Program, type ProgramEnd } from './roll-bed/program.ts'

const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url))

/** What a machine has of its own; the rest of the system is that of this machine. */
const OWN = ['root', 'run', 'usr/local', 'var/lib']

/** Where the programs of the bed are on it. */
const PROGRAMS = '/mnt'

const SET_UP = `
machine=$1 programs=$2 repository=$3 socket=$4 line=$5
mount --bind "$programs" ${PROGRAMS}
mount -t tmpfs tmpfs "$repository"
mount --bind "$socket" "$machine/run/haproxy/admin.sock"
for folder in ${OWN.join(' ')}; do mount --rbind "$machine/$folder" "/$folder"; done
cd /root
exec env -i HOME=/root LANG=C.UTF-8 \\
  PATH=/root/.krew/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin sh -ec "$line"
`

interface MachineParts {
  /** Is made; it holds all that the machine stores. */
  readonly folder: string
  /** Files that were downloaded to the home directory. */
  readonly downloads: string
  /** The folder of the bed's programs. */
  readonly programs: string
  /** The runtime socket of the bed's HAProxy. */
  readonly socket: string
  /** Puts a command into the network of the bed, from which nothing leads out. */
  readonly enter: (argv: readonly string[]) => readonly string[]
}

/**
 * A machine beside the bed on which nothing of Even Keel was ever installed: empty home directory, `/usr/local`, `/var/lib` and `/run`,
 * no network but that of the bed, and no repository. kubectl and Helm are there. It is a mount namespace, and what it stores is in one folder.
 */
export class CleanMachine {
  readonly #parts: MachineParts
  readonly #started: Program[] = []

  constructor(parts: MachineParts) {
    this.#parts = parts
    const { folder, downloads } = parts
    for (const own of [...OWN, 'run/haproxy', 'root/.kube', 'usr/local/bin'])
      mkdirSync(join(folder, own), { recursive: true })
    writeFileSync(join(folder, 'run/haproxy/admin.sock'), '')
    this.program('kubectl', `#!/bin/sh\nexec ${PROGRAMS}/kube kubectl "$@"\n`)
    this.program('helm', `#!/bin/sh\nexec ${PROGRAMS}/helm "$@"\n`)
    for (const name of readdirSync(downloads)) linkSync(join(downloads, name), this.home(name))
  }

  /** A path below its home directory, as it is on this machine. */
  home(...path: readonly string[]): string {
    return join(this.#parts.folder, 'root', ...path)
  }

  /** Installs a program in `/usr/local/bin`. */
  program(name: string, content: string | Buffer): void {
    const path = join(this.#parts.folder, 'usr/local/bin', name)
    writeFileSync(path, content)
    chmodSync(path, 0o755)
  }

  /** Gives a line to a shell in the home directory. */
  run(line: string): Promise<ProgramEnd> {
    const { folder, programs, socket, enter } = this.#parts
    const namespaces = ['--mount', '--propagation', 'private', '--pid', '--fork', '--kill-child=KILL', '--mount-proc']
    const words = [folder, programs, REPOSITORY, socket, line]
    const program = new Program(enter(['unshare', ...namespaces, 'sh', '-ec', SET_UP, 'sh', ...words]))
    this.#started.push(program)
    return program.ended()
  }

  /** The same for a line that must succeed. Gives what it printed. */
  async done(line: string): Promise<string> {
    const { code, stdout, stderr } = await this.run(line)
    if (code === 0) return stdout
    const said = `${stdout}\n${stderr}`.trim().split('\n').slice(-40).join('\n')
    throw new Error(`${line}\nended with ${code}:\n${said}`)
  }

  /** Ends what still runs on it. */
  end(): void {
    for (const program of this.#started) program.kill('SIGKILL')
  }
}

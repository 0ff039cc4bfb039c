import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { Program } from '../roll-bed/program.ts'

const MOUNT = 'mount -t tmpfs -o size=1m tiny "$1" && echo mounted && exec sleep infinity'
const CHUNK = Buffer.alloc(4096)

/**
 * A disk of one megabyte that can be filled. It is mounted in a mount namespace that one process holds. When that process
 * ends, for whatever reason, the disk is gone. No process outside has ever seen it mounted.
 */
export class TinyDisk {
  readonly folder: string
  readonly #holder: Program

  private constructor(folder: string, holder: Program) {
    this.folder = folder
    this.#holder = holder
  }

  /** Below that folder. */
  static async mount(below: string): Promise<TinyDisk> {
    const folder = mkdtempSync(join(below, 'tiny-'))
    const argv = ['unshare', '--mount', '--propagation', 'private', '--', 'sh', '-c', MOUNT, 'sh', folder]
    const mounted = Promise.withResolvers<void>()
    const holder = new Program(argv, { onLine: () => mounted.resolve() })
    const gone = holder.ended().then(({ stderr }) => {
      throw new Error(`the disk could not be mounted: ${stderr}`)
    })
    gone.catch(() => undefined)
    await Promise.race([mounted.promise, gone])
    return new TinyDisk(folder, holder)
  }

  /** The command that runs a program where the disk is mounted. */
  readonly enter = (argv: readonly string[]): readonly string[] => [
    'nsenter',
    `--mount=/proc/${this.#holder.pid}/ns/mnt`,
    '--',
    ...argv,
  ]

  /** Takes all that is left. What lies there already may still grow to the end of its last block of 4 KiB. */
  fill(): void {
    const file = openSync(this.#ballast(), 'w')
    try {
      for (;;) writeSync(file, CHUNK)
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error
    } finally {
      closeSync(file)
    }
  }

  /** A file of it; undefined where there is none. */
  read(path: string): string | undefined {
    try {
      return readFileSync(join(`/proc/${this.#holder.pid}/root`, this.folder, path), 'utf8')
    } catch {
      return undefined
    }
  }

  free(): void {
    rmSync(this.#ballast())
  }

  async unmount(): Promise<void> {
    this.#holder.kill('SIGKILL')
    await this.#holder.ended()
  }

  #ballast(): string {
    return join(`/proc/${this.#holder.pid}/root`, this.folder, 'ballast')
  }
}

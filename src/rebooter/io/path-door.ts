import { constants } from 'node:fs'
import { access, open, readFile, rename, stat, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { Random } from '../../ground/ports/random.ts'
import { type Door, DoorFault } from '../ports/door.ts'
import { codeOf } from './below-root.ts'

interface PathDoorParts {
  /** The directory of the unit evenkeel-reboot.path, as it is mounted here. */
  readonly directory: string
  /** The boot that the kernel runs. */
  readonly bootId: string
  readonly random: Random
}

const SEE = 'see docs/rebooter.md'
const READY_BYTES_MAX = 4_096

/**
 * A systemd path unit on the machine watches one file, and reboots where that names the boot that runs. This process needs no right but
 * to write into the directory of that file. The file `ready` is of root alone: the unit writes the boot into it once it watches.
 */
export class PathDoor implements Door {
  readonly #parts: PathDoorParts
  readonly #inbox: string
  readonly #request: string

  constructor(parts: PathDoorParts) {
    this.#parts = parts
    this.#inbox = join(parts.directory, 'inbox')
    this.#request = join(this.#inbox, 'request')
  }

  async fault(): Promise<string | undefined> {
    const { directory, bootId } = this.#parts
    try {
      const ready = join(directory, 'ready')
      const { size } = await stat(ready)
      const text = size > READY_BYTES_MAX ? '' : await readFile(ready, 'utf8')
      if (text.trim() !== bootId) return `the unit evenkeel-reboot.path has not begun since the machine booted (${SEE})`
    } catch (error) {
      const code = codeOf(error)
      return code === 'ENOENT'
        ? `the unit evenkeel-reboot.path is not installed on the machine, or does not run (${SEE})`
        : `the file of evenkeel-reboot.path cannot be read: ${code}`
    }
    try {
      await access(this.#inbox, constants.W_OK | constants.X_OK)
      await stat(this.#request)
      return `the unit evenkeel-reboot.path has not taken the last request (${SEE})`
    } catch (error) {
      const code = codeOf(error)
      return code === 'ENOENT' ? undefined : `the directory of evenkeel-reboot.path cannot be written: ${code}`
    }
  }

  async use(bootId: string): Promise<void> {
    const draft = join(this.#inbox, `.request-${this.#parts.random.hex(8)}`)
    try {
      const file = await open(draft, 'wx', 0o600)
      try {
        await file.writeFile(`${bootId}\n`)
        await file.sync()
      } finally {
        await file.close()
      }
      await rename(draft, this.#request)
    } catch (error) {
      const code = codeOf(error)
      await unlink(draft).catch(codeOf)
      throw new DoorFault(`the request cannot be written for evenkeel-reboot.path: ${code}`)
    }
  }
}

import { constants } from 'node:fs'
import { access, open, readFile, rename, stat, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../../ground/ports/clock.ts'
import type { Random } from '../../ground/ports/random.ts'
import { type Door, DoorFault } from '../ports/door.ts'
import { codeOf } from './below-root.ts'

interface PathDoorParts {
  /** The directory of the unit evenkeel-reboot.path, as it is mounted here. */
  readonly directory: string
  /** The boot that the kernel runs. */
  readonly bootId: string
  readonly clock: Clock
  readonly random: Random
  /** Since the machine booted. */
  readonly uptimeSeconds: () => number
}

const SEE = 'see docs/rebooter.md'
const READY_BYTES_MAX = 4_096
/** A path unit sees a file at once. The script refuses one that is older than 30 s. */
const TAKEN_WITHIN_MS = 5_000
const LOOK_EVERY_MS = 50

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

  /** Whoever removes the file decides: the unit, which reboots, or this door, and then nothing was done. */
  async use(bootId: string, signal: AbortSignal): Promise<void> {
    const { clock } = this.#parts
    await this.#write(bootId)
    const untilMs = clock.monoMs() + TAKEN_WITHIN_MS
    try {
      while (clock.monoMs() < untilMs && (await this.#isThere())) await clock.sleep(LOOK_EVERY_MS, signal)
    } finally {
      await this.#withdraw()
    }
  }

  async #write(bootId: string): Promise<void> {
    const { random, uptimeSeconds } = this.#parts
    const draft = join(this.#inbox, `.request-${random.hex(8)}`)
    try {
      const file = await open(draft, 'wx', 0o600)
      try {
        await file.writeFile(`${bootId} ${Math.floor(uptimeSeconds())}\n`)
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

  async #isThere(): Promise<boolean> {
    try {
      await stat(this.#request)
      return true
    } catch (error) {
      return codeOf(error) !== 'ENOENT'
    }
  }

  /** Throws DoorFault where the file was still there. One that cannot be removed may yet be taken. */
  async #withdraw(): Promise<void> {
    try {
      await unlink(this.#request)
    } catch (error) {
      codeOf(error)
      return
    }
    throw new DoorFault(
      `the unit evenkeel-reboot.path has not taken the request within ${TAKEN_WITHIN_MS / 1_000} s (${SEE})`,
    )
  }
}

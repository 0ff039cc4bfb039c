import type { Stats } from 'node:fs'
import { constants, lstat, open, opendir, readlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { FileReading } from '../model/need-reading.ts'

/** No file that says that a reboot is needed is longer. */
const BYTES_MAX = 65_536
const NAMES_MAX = 5_000
const LINKS_MAX = 40
const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK, O_NOCTTY } = constants

/**
 * The files of a machine below the directory at which they are mounted. Links are followed within this directory, as the machine
 * itself follows them: never out of it. Only regular files are opened, and only their first 64 KiB are read.
 */
export class BelowRoot {
  readonly #root: string

  constructor(root: string) {
    this.#root = root
  }

  /** A file is absent only where its directory is there: otherwise the directory may not be mounted. */
  async read(path: string): Promise<FileReading> {
    const place = path.startsWith('/run/') ? '/run' : dirname(path)
    try {
      if ((await this.stat(place)) === undefined) return { kind: 'unknown', text: `${place} is not mounted` }
      const found = await this.#find(path)
      if (found === undefined) return { kind: 'absent' }
      if (!found.info.isFile()) return { kind: 'unknown', text: 'it is no regular file' }
      return await firstBytes(found.at)
    } catch (error) {
      return { kind: 'unknown', text: codeOf(error) }
    }
  }

  /** The names in a directory, sorted; undefined where there is none. Of very many, some. Rejects where it cannot be read. */
  async list(path: string): Promise<readonly string[] | undefined> {
    const found = await this.#find(path)
    if (found === undefined || !found.info.isDirectory()) return undefined
    const names: string[] = []
    const directory = await opendir(found.at)
    for await (const { name } of directory) {
      names.push(name)
      if (names.length >= NAMES_MAX) break
    }
    return names.sort()
  }

  /** Undefined where nothing is there. */
  async stat(path: string): Promise<Stats | undefined> {
    return (await this.#find(path))?.info
  }

  /** Where a file is for this process, all links followed; undefined where nothing is there. */
  async place(path: string): Promise<string | undefined> {
    return (await this.#find(path))?.at
  }

  async #find(path: string): Promise<{ readonly at: string; readonly info: Stats } | undefined> {
    const left = [...partsOf(path)]
    const done: string[] = []
    let links = 0
    while (left.length > 0) {
      const name = left.shift() ?? ''
      if (name === '..') done.pop()
      if (name === '.' || name === '..') continue
      const at = join(this.#root, ...done, name)
      const info = await statOf(at)
      if (info === undefined) return undefined
      if (!info.isSymbolicLink()) {
        done.push(name)
        continue
      }
      links += 1
      if (links > LINKS_MAX) throw Object.assign(new Error('too many links'), { code: 'ELOOP' })
      const target = await readlink(at)
      if (target.startsWith('/')) done.length = 0
      left.unshift(...partsOf(target))
    }
    const at = join(this.#root, ...done)
    const info = await statOf(at)
    return info === undefined ? undefined : { at, info }
  }
}

const partsOf = (path: string): readonly string[] => path.split('/').filter((part) => part !== '')

async function statOf(at: string): Promise<Stats | undefined> {
  try {
    return await lstat(at)
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(codeOf(error))) return undefined
    throw error
  }
}

/** That the file is there counts also where its text may not be read. */
async function firstBytes(at: string): Promise<FileReading> {
  try {
    const file = await open(at, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(BYTES_MAX + 1), 0, BYTES_MAX + 1, 0)
      const text = buffer.toString('utf8', 0, Math.min(bytesRead, BYTES_MAX))
      return { kind: 'there', text, isCut: bytesRead > BYTES_MAX }
    } finally {
      await file.close()
    }
  } catch (error) {
    if (['EACCES', 'EPERM'].includes(codeOf(error))) return { kind: 'there', text: '', isCut: false }
    throw error
  }
}

/** Of an error of the file system; a bug has none. */
export function codeOf(error: unknown): string {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') return error.code
  throw error
}

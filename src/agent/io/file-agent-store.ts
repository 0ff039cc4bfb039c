import { randomUUID } from 'node:crypto'
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { WorldError } from '../../ground/model/world-error.ts'
import type { AgentFile, AgentStore } from '../ports/agent-store.ts'

/** A larger file is not ours. */
const BYTES_MAX = 65_536
/** A process that began to write so long ago ended before it was done. */
const LEFT_AFTER_MS = 60_000

/** A short text in a file; `memory` and `ingress` on tmpfs, the others on a disk, `override` as a person puts it there. */
export class FileAgentStore implements AgentStore {
  readonly #paths: Readonly<Record<AgentFile, string>>
  readonly #swept = new Set<AgentFile>()

  constructor({ memoryDir, keepDir }: { readonly memoryDir: string; readonly keepDir: string }) {
    this.#paths = {
      memory: join(memoryDir, 'memory.json'),
      ingress: join(memoryDir, 'ingress.json'),
      kept: join(keepDir, 'maintenance.json'),
      owed: join(keepDir, 'owed.json'),
      override: join(keepDir, 'override'),
    }
  }

  async read(file: AgentFile): Promise<string | undefined> {
    try {
      return await firstBytes(this.#paths[file])
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return undefined
      throw failed(error, this.#paths[file])
    }
  }

  async write(file: Exclude<AgentFile, 'override'>, text: string | undefined): Promise<void> {
    const path = this.#paths[file]
    try {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 })
      if (!this.#swept.has(file)) await sweep(path)
      this.#swept.add(file)
      if (text === undefined) await rm(path, { force: true })
      else await replaceFile(path, text)
      if (file === 'kept' || file === 'owed') await sync(dirname(path))
    } catch (error) {
      throw failed(error, path)
    }
  }
}

async function firstBytes(path: string): Promise<string> {
  const file = await open(path, 'r')
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(BYTES_MAX), 0, BYTES_MAX, 0)
    return buffer.toString('utf8', 0, bytesRead)
  } finally {
    await file.close()
  }
}

/**
 * A reader gets the old text or the new one, also after a crash in between. No other process writes to the same temporary name;
 * process ids are not enough, since each container may count its own.
 */
async function replaceFile(path: string, text: string): Promise<void> {
  const next = `${path}.${randomUUID()}${NEXT}`
  try {
    const file = await open(next, 'wx', 0o600)
    try {
      await file.writeFile(text)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(next, path)
  } catch (error) {
    await rm(next, { force: true })
    throw error
  }
}

const NEXT = '.new'

/** Files of processes that ended during a write. */
async function sweep(path: string): Promise<void> {
  const names = await readdir(dirname(path))
  const left = names.filter((name) => name.startsWith(`${basename(path)}.`) && name.endsWith(NEXT))
  for (const name of left) {
    const other = join(dirname(path), name)
    const { mtimeMs } = await stat(other)
    if (Date.now() - mtimeMs > LEFT_AFTER_MS) await rm(other, { force: true })
  }
}

/** A new name in a directory is on the disk once the directory is synced (fsync(2)). */
async function sync(directory: string): Promise<void> {
  const opened = await open(directory, 'r')
  try {
    await opened.sync()
  } finally {
    await opened.close()
  }
}

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined)

function failed(error: unknown, path: string): WorldError {
  const why = error instanceof Error ? error.message : String(error)
  return new WorldError(`${path}: ${why}`, { code: 'STORE_FAILED', retry: 'backoff', cause: error })
}

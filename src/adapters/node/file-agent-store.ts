import { mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { WorldError } from '../../model/world-error.ts'
import type { AgentFile, AgentStore } from '../../ports/agent-store.ts'

/** More is none of ours. */
const BYTES_MAX = 16_384

/** A short text in a file; `memory` and `kept` in directories of their own, `override` wherever a person puts it. */
export class FileAgentStore implements AgentStore {
  readonly #paths: Readonly<Record<AgentFile, string>>

  constructor({ memoryDir, keepDir }: { readonly memoryDir: string; readonly keepDir: string }) {
    this.#paths = {
      memory: join(memoryDir, 'memory.json'),
      kept: join(keepDir, 'maintenance.json'),
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

  async write(file: 'memory' | 'kept', text: string | undefined): Promise<void> {
    const path = this.#paths[file]
    try {
      if (text === undefined) await rm(path, { force: true })
      else await replaceFile(path, text)
      if (file === 'kept') await sync(dirname(path))
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

/** Whoever reads it has the one text or the other, also after a crash in between. */
async function replaceFile(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const next = `${path}.new`
  const file = await open(next, 'w', 0o600)
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(next, path)
}

/** A name that was put into a directory is on the disk once that is (fsync(2)). */
async function sync(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 })
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

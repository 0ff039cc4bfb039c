import { rm, writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { UserError } from '../../ground/model/user-error.ts'
import { WorldError } from '../../ground/model/world-error.ts'

interface ArchivedFile {
  readonly path: string
  readonly text: string
}

const BLOCK_BYTES = 512
const PATH_BYTES_MAX = 100
const PRIVATE = 0o600

/**
 * Writes a new `.tar.gz` that only this user can read; resolves with its size in bytes. Rejects with UserError where the file
 * exists or cannot be made, with WorldError where the disk refuses it; then no half archive is left.
 */
export async function writeArchive(path: string, files: readonly ArchivedFile[], atMs: number): Promise<number> {
  const bytes = await promisify(gzip)(tarOf(files, atMs))
  try {
    await writeFile(path, bytes, { flag: 'wx', mode: PRIVATE })
    return bytes.length
  } catch (error) {
    throw await archiveError(error, path)
  }
}

async function archiveError(error: unknown, path: string): Promise<unknown> {
  if (!(error instanceof Error) || !('code' in error) || !('syscall' in error)) return error
  const { code, syscall, message } = error
  if (code === 'EEXIST') {
    const fix = 'remove that file, or name another one with --to'
    return new UserError(`${path} exists already`, { code: 'bundle.exists', fix, cause: error })
  }
  if (syscall === 'open') {
    const fix = 'name a file that can be written with --to'
    return new UserError(`cannot write ${path}: ${message}`, { code: 'file.write', fix, cause: error })
  }
  await rm(path, { force: true })
  return new WorldError(`cannot write ${path}: ${message}`, { code: 'FILE_NOT_WRITTEN', retry: 'never', cause: error })
}

/** A ustar archive (POSIX.1-1988). */
const tarOf = (files: readonly ArchivedFile[], atMs: number): Buffer =>
  Buffer.concat([...files.flatMap((file) => blocksOf(file, atMs)), Buffer.alloc(2 * BLOCK_BYTES)])

function blocksOf({ path, text }: ArchivedFile, atMs: number): Buffer[] {
  const content = Buffer.from(text)
  const padding = Buffer.alloc((BLOCK_BYTES - (content.length % BLOCK_BYTES)) % BLOCK_BYTES)
  return [headerOf(path, content.length, atMs), content, padding]
}

function headerOf(path: string, sizeBytes: number, atMs: number): Buffer {
  if (Buffer.byteLength(path) > PATH_BYTES_MAX) throw new Error(`too long for the header of a tar archive: ${path}`)
  const block = Buffer.alloc(BLOCK_BYTES)
  const number = (value: number, at: number, width: number) => block.write(octal(value, width), at)
  block.write(path, 0)
  number(PRIVATE, 100, 8)
  number(0, 108, 8)
  number(0, 116, 8)
  number(sizeBytes, 124, 12)
  number(Math.floor(atMs / 1000), 136, 12)
  block.write('0', 156)
  block.write('ustar\x0000', 257)
  // The checksum is computed with its own field full of spaces.
  block.write(' '.repeat(8), 148)
  const sum = block.reduce((total, byte) => total + byte, 0)
  number(sum, 148, 8)
  return block
}

const octal = (value: number, width: number): string => `${value.toString(8).padStart(width - 1, '0')}\0`

import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'

const CACHE = fileURLToPath(new URL('../../node_modules/.cache/evenkeel-image/', import.meta.url))

/** As small as gzip makes it, which takes a quarter of a minute for a runtime; the last result is kept. */
export async function cachedGzip(bytes: Buffer): Promise<Buffer> {
  const name = `${createHash('sha256').update(bytes).digest('hex')}-${process.versions.zlib}.gz`
  const kept = join(CACHE, name)
  if (existsSync(kept)) return readFileSync(kept)
  const small = await promisify(gzip)(bytes, { level: 9 })
  mkdirSync(CACHE, { recursive: true })
  writeFileSync(`${kept}.${process.pid}`, small)
  for (const old of readdirSync(CACHE)) if (old.endsWith('.gz')) rmSync(join(CACHE, old), { force: true })
  renameSync(`${kept}.${process.pid}`, kept)
  return small
}

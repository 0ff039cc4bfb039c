import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface Digest {
  readonly name: string
  readonly sha256: string
}

export const SUMS_FILE = 'SHA256SUMS'

export const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')

export const digestsIn = (folder: string): readonly Digest[] =>
  readdirSync(folder)
    .filter((name) => name !== SUMS_FILE)
    .toSorted()
    .map((name) => ({ name, sha256: sha256(readFileSync(join(folder, name))) }))

/** As `sha256sum -c` reads it. */
export const sumsText = (digests: readonly Digest[]): string =>
  digests.map(({ name, sha256 }) => `${sha256}  ${name}\n`).join('')

import { constants } from 'node:fs'
import { access, copyFile, link, open, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { present } from '../../ground/model/present.ts'
import { UserError } from '../../ground/model/user-error.ts'
import type { Random } from '../../ground/ports/random.ts'

interface NewFile {
  readonly path: string
  readonly text: string
}

interface PlacedFile {
  readonly path: string
  /** The new name of the file that existed. */
  readonly kept?: string
}

interface Placing {
  readonly random: Random
  /** An existing file is renamed to `PATH.bak`; without this option it is an error. */
  readonly replace: boolean
}

/** The files of these that exist. */
export async function existing(paths: readonly string[]): Promise<readonly string[]> {
  const there = await Promise.all(paths.map(isThere))
  return paths.filter((_, at) => there[at])
}

const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  )

/**
 * Puts all of the files in place, or none, each whole at once. No existing file is ever lost: a program that writes one
 * meanwhile gets an error here. Rejects with UserError.
 */
export async function placeFiles(files: readonly NewFile[], placing: Placing): Promise<readonly PlacedFile[]> {
  const undo: (() => Promise<void>)[] = []
  const temporary = files.map(({ path }) => join(dirname(path), `.${basename(path)}.${placing.random.hex(4)}.new`))
  try {
    for (const [at, { text }] of files.entries()) await writeSynced(temporary[at] ?? '', text)
    const placed: PlacedFile[] = []
    for (const [at, { path }] of files.entries()) {
      const kept = placing.replace ? await keep(path) : undefined
      if (kept !== undefined) undo.push(() => rename(kept, path))
      await linkTo(temporary[at] ?? '', path)
      if (kept === undefined) undo.push(() => rm(path, { force: true }))
      placed.push({ path, ...present({ kept }) })
    }
    return placed
  } catch (error) {
    for (const step of undo.toReversed()) await step()
    throw writeError(error)
  } finally {
    await Promise.all(temporary.map((path) => rm(path, { force: true })))
  }
}

/** Renames the existing file to a free name. */
async function keep(path: string): Promise<string | undefined> {
  for (let number = 1; ; number += 1) {
    const kept = number === 1 ? `${path}.bak` : `${path}.bak${number}`
    try {
      await linkTo(path, kept)
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return undefined
      if (codeOf(error) === 'EEXIST') continue
      throw error
    }
    await rm(path)
    return kept
  }
}

async function writeSynced(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx')
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
}

const NO_LINKS: ReadonlySet<string> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'])

/** Fails where the name is taken. Some file systems have no links. */
async function linkTo(from: string, to: string): Promise<void> {
  try {
    await link(from, to)
  } catch (error) {
    if (!NO_LINKS.has(codeOf(error))) throw error
    await copyFile(from, to, constants.COPYFILE_EXCL)
  }
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''

function writeError(cause: unknown): unknown {
  const code = codeOf(cause)
  if (!(cause instanceof Error) || code === '') return cause
  const [, why = cause.message, path = ''] = /^E[A-Z]+: ([^,]*), \w+ (.*)$/s.exec(cause.message) ?? []
  return new UserError(`nothing was written: ${why} (${code}), ${path}`, {
    code: 'file.write',
    fix:
      code === 'EEXIST'
        ? 'name another file with --file, or add --overwrite'
        : 'name a file that can be written, with --file',
    cause,
  })
}

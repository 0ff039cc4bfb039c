import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { underLock } from './build/build-lock.ts'
import { buildFolder, cacheRoot } from './build/cache-root.ts'
import { buildPrograms } from './build/go-programs.ts'
import { ensureImageStore } from './build/image-store.ts'

/** What a bed is made of. */
interface Build {
  /** The folder with `kube`, `coredns`, `nodecheck`, `app`, `pause` and `power`. */
  readonly programs: string
  /** The containerd root that nodes take; undefined where the bed has no nodes. */
  readonly imageStore?: string
}

/** Gives the build that belongs to the sources in this tree; makes it first where the cache lacks it. */
export async function ensureBuilt(say: (line: string) => void, withImages = true): Promise<Build> {
  const folder = buildFolder()
  const isDone = (): boolean => existsSync(folder)
  mkdirSync(cacheRoot(), { recursive: true })
  if (!isDone()) await underLock(`${folder}.lock`, isDone, () => build(folder, say))
  const programs = join(folder, 'bin')
  return withImages ? { programs, imageStore: await ensureImageStore(folder, programs) } : { programs }
}

async function build(folder: string, say: (line: string) => void): Promise<void> {
  const unfinished = mkdtempSync(`${folder}.new-`)
  try {
    const programs = join(unfinished, 'bin')
    mkdirSync(programs)
    await buildPrograms(programs, say)
    if (!existsSync(folder)) renameSync(unfinished, folder)
    say(`built ${folder}`)
  } finally {
    rmSync(unfinished, { recursive: true, force: true })
  }
}

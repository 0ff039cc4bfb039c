import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { identityOf, isAlive, type ProcessIdentity } from '../machine/process-identity.ts'
import { waitFor } from '../machine/wait-for.ts'

/** A cold build on a slow machine, with room. */
const LIMIT_MS = 45 * 60_000

/**
 * Does the work unless another process does it meanwhile: one process builds, the others wait for what it makes. Two that
 * find the lock of a dead process at once may both work; what they make must therefore appear by a rename.
 */
export async function underLock(path: string, isDone: () => boolean, work: () => Promise<void>): Promise<void> {
  const ours = await waitFor({ what: `the build that holds ${path}`, limitMs: LIMIT_MS, everyMs: 200 }, () => {
    if (isDone()) return 'done' as const
    return take(path) ? ('ours' as const) : undefined
  })
  if (ours === 'done') return
  try {
    if (!isDone()) await work()
  } finally {
    rmSync(path, { force: true })
  }
}

function take(path: string): boolean {
  try {
    writeFileSync(path, JSON.stringify(identityOf(process.pid)), { flag: 'wx' })
    return true
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  }
  const holder = read(path)
  if (holder !== undefined && !isAlive(holder)) rmSync(path, { force: true })
  return false
}

function read(path: string): ProcessIdentity | undefined {
  try {
    const holder: ProcessIdentity = JSON.parse(readFileSync(path, 'utf8'))
    return holder
  } catch {
    // Just released, or being written this instant: the next look will tell.
    return undefined
  }
}

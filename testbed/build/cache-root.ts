import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { sourceHash } from './source-hash.ts'

/** Where builds and the disks of running beds live: outside the tree, so that every clone of one version shares them. */
export function cacheRoot(): string {
  const chosen = process.env.EVENKEEL_TESTBED_CACHE
  if (chosen !== undefined && chosen !== '') return chosen
  const xdg = process.env.XDG_CACHE_HOME
  return join(xdg !== undefined && xdg !== '' ? xdg : join(homedir(), '.cache'), 'evenkeel-testbed')
}

/** The folder of the build that belongs to the sources in this tree. */
export function buildFolder(): string {
  return join(cacheRoot(), sourceHash())
}

/** A build folder appears whole, by a rename; its existence is the proof that it is finished. */
export function isBuilt(): boolean {
  return existsSync(buildFolder())
}

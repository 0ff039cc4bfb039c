import { execFile } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'

export type FoundHaproxy =
  | { readonly program: string; readonly version: string }
  /** Why there is no usable HAProxy, for people. */
  | { readonly lacking: string }

/** Folders in which administrators have it and other users often do not look. */
const SYSTEM_FOLDERS = ['/usr/local/sbin', '/usr/sbin']
const OLDEST = [2, 2] as const

export async function findHaproxy(path = ''): Promise<FoundHaproxy> {
  const folders = [...path.split(delimiter).filter((folder) => folder !== ''), ...SYSTEM_FOLDERS]
  const program = folders.map((folder) => join(folder, 'haproxy')).find(isExecutable)
  if (program === undefined) return { lacking: 'HAProxy is not installed' }
  try {
    const { stdout } = await promisify(execFile)(program, ['-v'], { timeout: 5_000 })
    return usable(program, stdout)
  } catch (error) {
    return { lacking: `${program} does not run (${error instanceof Error ? error.message : String(error)})` }
  }
}

function usable(program: string, said: string): FoundHaproxy {
  const match = /version (\d+)\.(\d+)(\.\d+)?/.exec(said)
  if (match === null) return { lacking: `${program} does not print its version` }
  const [major, minor] = [Number(match[1]), Number(match[2])]
  const version = `${major}.${minor}${match[3] ?? ''}`
  const isOld = major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1])
  return isOld ? { lacking: `HAProxy ${version} is older than ${OLDEST.join('.')}` } : { program, version }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

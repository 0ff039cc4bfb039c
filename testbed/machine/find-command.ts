import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/** A root shell started by a desktop or a minimal image often lacks the sbin folders. */
const SYSTEM_FOLDERS = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin']

/** The search path that the test bed gives to everything it starts. */
export const searchPath = [...new Set([...(process.env.PATH ?? '').split(delimiter), ...SYSTEM_FOLDERS])]
  .filter((folder) => folder !== '')
  .join(delimiter)

/** The absolute path of a program, or undefined where it is not installed. */
export function findCommand(name: string): string | undefined {
  return searchPath
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find(isExecutable)
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { SHIPPED_FOLDER } from '../shipped-program.ts'

const BUILD = fileURLToPath(new URL('../../../bin/build.ts', import.meta.url))

/** What is shipped, as a command line without its arguments: built into a directory, unless it is built already. */
export async function bundleIn(directory: string): Promise<readonly string[]> {
  const built = process.env[SHIPPED_FOLDER]
  if (built !== undefined) return [process.execPath, join(built, 'evenkeel.js')]
  await promisify(execFile)(process.execPath, [BUILD, directory])
  return [process.execPath, join(directory, 'evenkeel.js')]
}

import { access, constants, stat } from 'node:fs/promises'
import { delimiter, dirname, join, resolve } from 'node:path'
import { escapeForeign } from '../model/foreign-text.ts'

/** The path of a program with this name, by a search path in the form of $PATH. */
export async function findProgram(name: string, searchPath: string): Promise<string | undefined> {
  for (const folder of searchPath.split(delimiter).filter((part) => part !== '')) {
    const path = join(folder, name)
    if (await isRunnable(path)) return path
  }
  return undefined
}

/** Whether a program with this name or path can be started. No shell is used: a container may have none. */
export async function hasProgram(program: string, searchPath: string): Promise<boolean> {
  return program.includes('/') ? isRunnable(program) : (await findProgram(program, searchPath)) !== undefined
}

async function isRunnable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK)
    return (await stat(path)).isFile()
  } catch (error) {
    codeOf(error)
    return false
  }
}

/** Why no file can be made in this directory, which need not exist yet. This writes nothing. */
export async function whyNotWritable(directory: string): Promise<string | undefined> {
  const path = resolve(directory)
  try {
    if (!(await stat(path)).isDirectory()) return `${escapeForeign(path)} is not a directory`
    await access(path, constants.W_OK | constants.X_OK)
    return undefined
  } catch (error) {
    const code = codeOf(error)
    const parent = dirname(path)
    if (code === 'ENOENT' && parent !== path) return whyNotWritable(parent)
    if (code === 'ENOTDIR') return whyNotWritable(parent)
    return `${escapeForeign(path)} cannot be written (${code})`
  }
}

/** The code of a system error; any other error is thrown again. */
function codeOf(error: unknown): string {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') return error.code
  throw error
}

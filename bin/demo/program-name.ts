import { basename, relative } from 'node:path'
import process from 'node:process'

/** The command that runs this program again, for commands to paste. */
export function programName(): string {
  if (process.env.npm_lifecycle_event !== undefined) return 'npm run -s evenkeel --'
  const [, script = ''] = process.argv
  return basename(script) === 'evenkeel' ? 'evenkeel' : `node ${relative(process.cwd(), script)}`
}

import { basename, relative } from 'node:path'
import process from 'node:process'
import { isSea } from 'node:sea'
import { posixQuote } from '../../src/ground/model/posix-quote.ts'

/** The command that runs this program again, for commands to paste. */
export function programName(): string {
  if (process.env.npm_lifecycle_event !== undefined) return 'npm run -s evenkeel --'
  // As it was called: through the path, from a folder, or by kubectl.
  if (isSea()) return basename(process.argv0) === 'kubectl-evenkeel' ? 'kubectl evenkeel' : posixQuote(process.argv0)
  const [, script = ''] = process.argv
  return basename(script) === 'evenkeel' ? 'evenkeel' : `node ${relative(process.cwd(), script)}`
}

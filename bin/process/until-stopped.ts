import process from 'node:process'
import { errorText } from '../../src/cli/error-text.ts'
import { UserError } from '../../src/ground/model/user-error.ts'

/** Exit code 0 once SIGTERM or SIGINT ended `run`, 2 for a UserError, which is written to stderr. Else what `run` returns. */
export async function untilStopped(run: (signal: AbortSignal) => Promise<number>): Promise<number> {
  const stop = new AbortController()
  const stopped = new Error('stopped')
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => stop.abort(stopped))
  try {
    return await run(stop.signal)
  } catch (error) {
    if (error === stopped) return 0
    if (!(error instanceof UserError)) throw error
    process.stderr.write(errorText(error))
    return 2
  }
}

import { OVER } from '../ground/model/over.ts'
import type { CliContext } from './cli-context.ts'
import type { WatchPrinter } from './watch-printer.ts'

interface Shown {
  readonly context: Pick<CliContext, 'onExit'>
  readonly printer: Pick<WatchPrinter<never>, 'restoreCursor' | 'close'>
}

/** Works while `follow` keeps what is shown up to date, and ends both. Rejects as they do. */
export async function whileFollowed<T>(
  { context, printer }: Shown,
  follow: (signal: AbortSignal) => Promise<void>,
  work: () => Promise<T>,
): Promise<T> {
  const life = new AbortController()
  const takeBack = context.onExit(() => printer.restoreCursor())
  const following = follow(life.signal)
  try {
    return await Promise.race([work(), following.then(() => Promise.reject(OVER))])
  } finally {
    life.abort(OVER)
    await following.catch((error: unknown) => {
      if (error !== OVER) throw error
    })
    await printer.close()
    takeBack()
  }
}

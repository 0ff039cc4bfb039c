import { WorldError } from '../../model/world-error.ts'
import type { Clock } from '../../ports/clock.ts'
import { DeadlineError, withDeadline } from '../../runtime/deadline.ts'
import type { ClusterView } from './cluster-view.ts'

const LIMIT_MS = 60_000

/**
 * Waits until everything that a roll goes by was listed once. Who resumes or aborts plans nothing, so that a right that
 * is missing, or an API server that is away, shows here first: told in its own words.
 */
export async function firstList(
  view: Pick<ClusterView, 'synced' | 'error'>,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<void> {
  const limited = { clock, limitMs: LIMIT_MS, signal, what: 'the first list of the cluster' }
  try {
    await withDeadline(limited, (within) => view.synced(within))
  } catch (error) {
    if (!(error instanceof DeadlineError)) throw error
    const why = view.error() ?? 'it does not answer'
    throw new WorldError(`the cluster could not be listed within 60 s, and nothing was done: ${why}`, {
      code: 'ROLL_FIRST_LIST',
      retry: 'backoff',
      cause: error,
    })
  }
}

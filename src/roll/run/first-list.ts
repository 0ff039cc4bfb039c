import { Backoff } from '../../ground/loop/backoff.ts'
import { DeadlineError, withDeadline } from '../../ground/loop/deadline.ts'
import { OVER } from '../../ground/model/over.ts'
import { WorldError } from '../../ground/model/world-error.ts'
import type { Clock } from '../../ground/ports/clock.ts'
import type { Cluster } from '../../ground/ports/cluster.ts'
import type { Random } from '../../ground/ports/random.ts'
import type { ClusterView } from './cluster-view.ts'
import { recordOf } from './last-seen.ts'
import type { RunState } from './run-state.ts'

const LIMIT_MS = 60_000
/** Nearly always everything is there by then, and no more is said of it. */
const USUAL_MS = 1000
/** One small object. A request that hangs is given up early, since the next one may not hang. */
const READ_LIMIT_MS = 2000
const READ_AGAIN = { baseMs: 500, capMs: 2000 } as const

interface FirstListParts {
  readonly run: Pick<RunState, 'id' | 'underWay'>
  readonly view: Pick<ClusterView, 'synced' | 'addRead' | 'error'>
  readonly cluster: Pick<Cluster, 'readNode'>
  readonly clock: Clock
  readonly random: Random
}

/**
 * Waits until passes may begin: everything that a roll goes by was listed once, or the node is known that an earlier
 * process of this run has out. A list can take half a minute to fail, and a reload of a balancer is answered within a
 * second. Where no node is known to be out, a process that resumes or aborts plans nothing, so that a right that is missing,
 * or an API server that is away, shows here first, in its own words.
 */
export async function firstList(parts: FirstListParts, signal: AbortSignal): Promise<void> {
  const over = new AbortController()
  const within = AbortSignal.any([signal, over.signal])
  const read = Promise.withResolvers<void>()
  const listed = Promise.all([everything(parts, within), read.promise])
  const known = Promise.all([nodeOut(parts, { listed, read }, within), parts.clock.sleep(USUAL_MS, within)])
  try {
    await Promise.race([listed, known])
  } finally {
    over.abort(OVER)
  }
}

async function everything({ clock, view }: FirstListParts, signal: AbortSignal): Promise<void> {
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

interface FirstReading {
  readonly listed: Promise<unknown>
  /** The node was read by its name once, or was tried to. */
  readonly read: { readonly resolve: () => void }
}

/**
 * A node without the record of this run is not out: then everything is waited for. That it is read counts where everything
 * is listed, too: a list may be older, and show the node with a record that an earlier process has taken off.
 */
async function nodeOut(parts: FirstListParts, { listed, read }: FirstReading, signal: AbortSignal): Promise<unknown> {
  const { run, cluster, clock, random, view } = parts
  const name = run.underWay
  if (name === undefined) {
    read.resolve()
    return listed
  }
  const backoff = new Backoff(READ_AGAIN, random)
  for (;;) {
    const limited = { clock, limitMs: READ_LIMIT_MS, signal, what: `the read of ${name}` }
    try {
      const node = await withDeadline(limited, (within) => cluster.readNode(name, within))
      if (node !== undefined) view.addRead(node)
      read.resolve()
      return node === undefined || recordOf(node)?.run !== run.id ? await listed : undefined
    } catch (error) {
      if (!(error instanceof WorldError || error instanceof DeadlineError)) throw error
      read.resolve()
      await clock.sleep(backoff.nextMs(error instanceof WorldError ? error.retryAfterMs : undefined), signal)
    }
  }
}

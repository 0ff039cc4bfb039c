import type { ObjectRef } from '../../model/object-ref.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Cluster } from '../../ports/cluster.ts'
import type { Random } from '../../ports/random.ts'
import { withDeadline } from '../../runtime/deadline.ts'
import { Leader } from '../../runtime/leader.ts'
import type { Repair } from './repair-dns.ts'

export interface AloneParts {
  readonly leases: Pick<Cluster, 'readLease' | 'writeLease'>
  readonly clock: Clock
  readonly random: Random
  readonly lease: ObjectRef
  readonly identity: string
}

export type RepairOrBusy = Repair | { readonly busy: string }

const LEASE_MS = 15_000
/** A Lease whose holder is dead is ours after its duration. */
const WAIT_MS = 2 * LEASE_MS
const RELEASED_WITHIN_MS = 5_000
const STOPPED = new Error('the repair is over')

/** One repair at a time: `work` under the Lease, or who holds it. */
export async function repairAlone(
  { leases, clock, random, lease, identity }: AloneParts,
  work: (leader: Leader) => Promise<Repair>,
  signal: AbortSignal,
): Promise<RepairOrBusy> {
  const life = new AbortController()
  const end = (): void => life.abort(STOPPED)
  signal.addEventListener('abort', end, { once: true })
  if (signal.aborted) end()
  const { promise: leads, resolve } = Promise.withResolvers<void>()
  const leader = new Leader({
    cluster: leases,
    clock,
    random,
    lease,
    identity,
    durationMs: LEASE_MS,
    onChange: resolve,
  })
  const run = leader.run(life.signal).then(
    () => undefined,
    (error: unknown) => {
      if (error !== STOPPED) throw error
    },
  )
  try {
    await Promise.race([leads, run, clock.sleep(WAIT_MS, life.signal).catch(() => undefined)])
    signal.throwIfAborted()
    return leader.isLeading() ? await work(leader) : { busy: leader.view().trouble ?? leader.view().holder }
  } finally {
    const wasLeading = leader.isLeading()
    signal.removeEventListener('abort', end)
    end()
    await run
    const limit = { clock, limitMs: RELEASED_WITHIN_MS, signal: new AbortController().signal, what: 'the Lease' }
    // What is not given back is free after its duration.
    if (wasLeading) await withDeadline(limit, (limited) => leader.release(limited)).catch(() => undefined)
  }
}

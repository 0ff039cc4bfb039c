import { withDeadline } from '../../ground/loop/deadline.ts'
import { Leader } from '../../ground/loop/leader.ts'
import type { ObjectRef } from '../../ground/model/object-ref.ts'
import { UserError } from '../../ground/model/user-error.ts'
import { WorldError } from '../../ground/model/world-error.ts'
import type { Clock } from '../../ground/ports/clock.ts'
import type { Cluster } from '../../ground/ports/cluster.ts'
import type { Random } from '../../ground/ports/random.ts'
import type { Repair } from './repair-dns.ts'

export interface AloneParts {
  readonly leases: Pick<Cluster, 'readLease' | 'writeLease'>
  readonly clock: Clock
  readonly random: Random
  readonly lease: ObjectRef
  readonly identity: string
}

/** `busy`: the holder of the Lease. `trouble`: why it could not be read or written; then its holder is not known. */
export type RepairOrBusy = Repair | { readonly busy: string; readonly trouble?: string }

const LEASE_MS = 15_000
/** A Lease whose holder is dead is ours after its duration. */
const WAIT_MS = 2 * LEASE_MS
const RELEASED_WITHIN_MS = 5_000
const STOPPED = new Error('the repair is over')

/** One repair at a time: `work` under the Lease, or its holder. Rejects with UserError where the right to it is missing. */
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
  const { promise: refused, reject: refuse } = Promise.withResolvers<never>()
  refused.catch(() => undefined)
  const what = `Lease ${lease.namespace}/${lease.name}`
  const leader = new Leader({
    cluster: refusing(leases, (why) => refuse(noRight(`${what} could not be acquired: ${why}`))),
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
    await Promise.race([leads, run, refused, clock.sleep(WAIT_MS, life.signal).catch(() => undefined)])
    signal.throwIfAborted()
    if (leader.isLeading()) return await work(leader)
    const { trouble, holder } = leader.status()
    return trouble === undefined ? { busy: holder } : { busy: '', trouble: `${what} could not be acquired: ${trouble}` }
  } finally {
    const wasLeading = leader.isLeading()
    signal.removeEventListener('abort', end)
    end()
    await run
    const limit = { clock, limitMs: RELEASED_WITHIN_MS, signal: new AbortController().signal, what }
    // What is not given back is free after its duration.
    if (wasLeading) await withDeadline(limit, (limited) => leader.release(limited)).catch(() => undefined)
  }
}

/** The same Leases; `refuse` hears why a call cannot succeed until a person changes something. */
function refusing(leases: AloneParts['leases'], refuse: (why: string) => void): AloneParts['leases'] {
  const heard = (codes: readonly string[], error: unknown): never => {
    if (error instanceof WorldError && codes.includes(error.code)) refuse(error.message)
    throw error
  }
  return {
    readLease: (...of) => leases.readLease(...of).catch((error: unknown) => heard(['KUBE_FORBIDDEN'], error)),
    writeLease: (lease, signal) =>
      leases.writeLease(lease, signal).catch((error: unknown) =>
        // A new Lease is not found where its namespace is not there; another one was deleted just now.
        heard(lease.resourceVersion === '' ? ['KUBE_FORBIDDEN', 'KUBE_NOT_FOUND'] : ['KUBE_FORBIDDEN'], error),
      ),
  }
}

const noRight = (message: string): UserError =>
  new UserError(message, {
    code: 'dns.lease',
    fix: 'apply deploy/dns-repair-rbac.yaml, bound to this identity in this namespace; or choose another one with --namespace',
  })

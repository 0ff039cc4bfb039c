import type { ObjectRef } from './object-ref.ts'
import { isRunName } from './run-name.ts'
import { toIso, type WallMs, wallMs } from './time.ts'
import { MalformedReply, Untrusted } from './untrusted.ts'

/**
 * The lock of kured: an annotation of its DaemonSet (kured, pkg/daemonsetlock/daemonsetlock.go). It names one node, or with
 * `--concurrency` a list of nodes. kured uses the `TTL` in the annotation, not its own flag.
 */
export const KURED_LOCK = 'weave.works/kured-node-lock'

/** The present DaemonSet on the API server. */
export interface KuredDaemonSet extends ObjectRef {
  readonly resourceVersion: string
  /** The annotation in which this kured keeps its lock. */
  readonly lockKey: string
  /** Verbatim. Absent: no node holds the lock. */
  readonly lock?: string
  /** How many nodes kured reboots at the same time, by its arguments and environment. */
  readonly concurrency: number
}

interface Holding {
  readonly owner: string
  /** Absent: it never ends by itself. */
  readonly endsAt?: WallMs
  /** The entry in the annotation. */
  readonly entry: Untrusted
}

/** How long a lock of this program lasts after its last write. */
export const LOCK_TTL_MS = 15 * 60_000

/** No Node can have this name, so no pod of kured can take the lock for its own. */
export const lockOwner = (run: string): string => `evenkeel/${run}`

/** The run of Even Keel that the lock names; undefined: it names a node, or a text that can be no run. */
export function runOfLock(owner: string): string | undefined {
  const run = /^evenkeel\/(.+)$/s.exec(owner)?.[1]
  return run !== undefined && isRunName(run) ? run : undefined
}

/**
 * Every holder; undefined: the lock makes no sense, or is held without a name. kured honours a lock without a name for ever. Go
 * ignores the case of field names, so kured may find a name that is not found here.
 */
export function lockHoldings(text: string): readonly Holding[] | undefined {
  try {
    const lock = new Untrusted(JSON.parse(text), 'kured-node-lock')
    const entries = Object.hasOwn(lock.fields(), 'locks') ? lock.at('locks').each() : [lock]
    return entries.map((entry) => ({ owner: entry.at('nodeID').text(), ...endOf(entry), entry }))
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof MalformedReply) return undefined
    throw error
  }
}

/** `TTL` in nanoseconds; 0: it never ends. If it is no number, kured reads nothing and takes no lock. */
function endOf(entry: Untrusted): Pick<Holding, 'endsAt'> {
  const { raw } = entry.at('TTL')
  const ttl = typeof raw === 'number' ? raw : 0
  const created = Date.parse(entry.at('created').textOr(''))
  return ttl > 0 && Number.isFinite(created) ? { endsAt: wallMs(created + ttl / 1e6) } : {}
}

export const isHeldAt = ({ endsAt }: Pick<Holding, 'endsAt'>, wall: WallMs): boolean =>
  endsAt === undefined || endsAt > wall

interface NewLock {
  readonly run: string
  readonly wall: WallMs
  readonly concurrency: number
}

/**
 * In both forms at once, since kured reads only the fields of the one that it uses. A list shorter than kured's `--concurrency`
 * would let kured add a node to it.
 */
export function newLock({ run, wall, concurrency }: NewLock): string {
  const entry = {
    nodeID: lockOwner(run),
    // A kured that takes the lock for its own does not uncordon a node because of it.
    metadata: { unschedulable: true },
    created: toIso(wall),
    TTL: LOCK_TTL_MS * 1e6,
  }
  return JSON.stringify({ ...entry, maxOwners: concurrency, locks: Array.from({ length: concurrency }, () => entry) })
}

/** The lock without this run; null: nothing is left. */
export function lockWithout(text: string, run: string): string | null {
  const others = (lockHoldings(text) ?? []).filter(({ owner }) => owner !== lockOwner(run))
  if (others.length === 0) return null
  const { maxOwners } = new Untrusted(JSON.parse(text), 'kured-node-lock').fields()
  return JSON.stringify({ maxOwners, locks: others.map(({ entry }) => entry.raw) })
}

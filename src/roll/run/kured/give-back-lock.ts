import { formatDuration } from '../../../ground/model/duration.ts'
import { KURED_LOCK, LOCK_TTL_MS, lockHoldings, lockOwner } from '../../../ground/model/kured-lock.ts'
import type { Node } from '../../../ground/model/node.ts'
import { type ObjectRef, refKey } from '../../../ground/model/object-ref.ts'
import { commandText, kubectl } from '../../../ground/model/sentence.ts'
import type { Cluster } from '../../../ground/ports/cluster.ts'
import { daemonSetOf } from '../../decide/kured/lock-taken.ts'
import type { KuredLocks } from '../../ports/kured-locks.ts'
import { recordOf } from '../last-seen.ts'
import { machinesBegun, type RunState } from '../run-state.ts'
import { answered, type RunEnding, requireLiveSlot, untilNoneLeft } from '../until-none-left.ts'
import { type KuredLockKeeper, lockWritten, moveLock } from './lock-keeper.ts'

interface GivingBack extends RunEnding {
  readonly cluster: Pick<Cluster, 'list'>
  readonly kuredLocks?: KuredLocks
  readonly kuredLock?: KuredLockKeeper
}

/**
 * At the end of a run kured's lock is given back, also one that an earlier process of the run took. While a node or a machine
 * is left out the lock stays: it ends by itself once no process renews it, and `resume` and `abort` give it back. A process
 * that goes on to keep the node out gives the lock back as soon as people have put the node back.
 */
export async function giveBackLock(parts: GivingBack, signal: AbortSignal): Promise<void> {
  const { kuredLocks: locks } = parts
  if (locks === undefined) return
  await Promise.all(refsOf(parts).map((ref) => giveBack({ ...parts, locks, ref }, signal)))
}

type OneLock = GivingBack & { readonly locks: KuredLocks; readonly ref: ObjectRef }

async function giveBack(parts: OneLock, signal: AbortSignal): Promise<void> {
  const { run, cluster, ref, clock, events } = parts
  const asking = () => ({ run: run.id, wall: clock.wallMs(), isWanted: false })
  let left: readonly string[] = []
  const failure = await untilNoneLeft(
    parts,
    async () => {
      left = leftOut(await answered(parts, (limited) => cluster.list('nodes', limited), signal), run)
      if (left.length > 0) return { found: 0 }
      await parts.kuredLock?.close()
      requireLiveSlot(parts)
      const move = await answered(parts, (limited) => moveLock(parts, asking, limited), signal)
      if (move.kind !== 'write') return { found: 0 }
      events.emit(lockWritten('releaseKuredLock', { ref, run: run.id }))
      return { found: 1 }
    },
    signal,
  )
  const isOurs = isShownOwn(parts)
  const { rebootLockKey: key = KURED_LOCK } = daemonSetOf(parts.view.reading().workloads, ref) ?? {}
  const text = isOurs ? leftText : unknownText
  if (failure !== undefined) events.emit({ type: 'warning', text: text({ ...ref, key }, failure) })
  else if (left.length > 0 && isOurs) events.emit({ type: 'warning', text: keptText(ref, left) })
  let isOver = false
  parts.kuredLock?.keepWhile(() => {
    isOver ||= !mayBeLeftOut(parts)
    return !isOver
  })
}

/** As far as the watch shows: only our own lock is reported as left, with the command that removes it. */
const isShownOwn = ({ view, ref, run }: OneLock): boolean =>
  isOwn(daemonSetOf(view.reading().workloads, ref)?.rebootLock ?? '{}', run.id)

/** The DaemonSet of the file, and any other whose lock an earlier process took with another file. */
function refsOf({ run, view }: GivingBack): readonly ObjectRef[] {
  const wanted = run.spec.reboot.kuredLock
  const shown = view.reading().workloads.filter(({ rebootLock = '{}' }) => isOwn(rebootLock, run.id))
  const refs = [...(wanted === undefined ? [] : [wanted]), ...shown]
  return [...new Map(refs.map((ref) => [refKey(ref), { namespace: ref.namespace, name: ref.name }])).values()]
}

const isOwn = (lock: string, run: string): boolean =>
  lockHoldings(lock)?.some(({ owner }) => owner === lockOwner(run)) === true

function leftOut(nodes: readonly Node[], run: RunState): readonly string[] {
  const { keepsOut = [], hosts, done } = run
  const known = new Set([...nodes.map(({ name }) => name), ...(hosts?.order ?? [])])
  return [
    // A list may be older than the removal of a record, and shows a node that is done as one in work.
    ...nodes.filter((node) => recordOf(node)?.run === run.id && !done.includes(node.name)).map(({ name }) => name),
    // A Node that was deleted has no record, but its machine is not back because of that.
    ...keepsOut.filter((name) => !known.has(name)),
    ...machinesBegun(run),
  ]
}

/** As far as the watch shows. */
function mayBeLeftOut({ view, run }: GivingBack): boolean {
  const { nodes, unlisted } = view.reading()
  return unlisted !== undefined || leftOut(nodes, run).length > 0
}

interface LockRef extends ObjectRef {
  readonly key: string
}

const leftText = ({ namespace, name, key }: LockRef, failure: string): string =>
  `the lock of kured is not given back (${failure}) and ends by itself within ${formatDuration(LOCK_TTL_MS)}; to remove it now: ${commandText(kubectl`-n ${namespace} annotate daemonset ${name} ${key}-`)}`

const unknownText = (ref: ObjectRef, failure: string): string =>
  `it is not known whether this run still holds the lock of kured (DaemonSet ${refKey(ref)}): ${failure}; if it does, the lock ends by itself within ${formatDuration(LOCK_TTL_MS)}`

const keptText = (ref: ObjectRef, nodes: readonly string[]): string =>
  `the lock of kured (DaemonSet ${refKey(ref)}) is kept while ${nodes.join(' and ')} is out; it ends ${formatDuration(LOCK_TTL_MS)} after this process no longer renews it`

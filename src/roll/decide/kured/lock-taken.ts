import { isHeldAt, lockHoldings, lockOwner, runOfLock } from '../../../ground/model/kured-lock.ts'
import { type ObjectRef, refKey } from '../../../ground/model/object-ref.ts'
import { type Reason, waitOf } from '../../../ground/model/reason.ts'
import { kubectl, say } from '../../../ground/model/sentence.ts'
import type { WallMs } from '../../../ground/model/time.ts'
import type { Workload } from '../../../ground/model/workload.ts'
import type { AnyDecision } from '../../model/decision.ts'
import { type AnySnapshot, hasSubject, isBegun, type SubjectSnapshot } from '../subject.ts'

/**
 * Where the file asks for kured's lock, no node and no machine is begun before the run has it, or another roll has it, which
 * keeps kured away as well. If this run waited for the other roll with its slot in hand, both would stop. Once the other roll
 * gives the lock back, this run takes it.
 */
export function kuredLockTaken(s: SubjectSnapshot): readonly Reason[] {
  const ref = s.spec.reboot.kuredLock
  if (ref === undefined) return []
  const found = daemonSetOf(s.cluster.workloads, ref)
  if (found === undefined) return [notTaken(ref, `there is no DaemonSet ${refKey(ref)}`)]
  if (isHeldBy(found, { run: s.run.id, wall: s.wall }) || isHeldByRun(found, s.wall)) return []
  if (s.kuredLock === undefined) return [notTaken(ref, 'this process cannot write it')]
  const { failure } = s.kuredLock
  if (failure !== undefined) return [notTaken(ref, failure)]
  return [
    { code: 'KuredLockDue', object: 'kured', text: `the lock of kured (DaemonSet ${refKey(ref)}) is being taken` },
  ]
}

export const daemonSetOf = (workloads: readonly Workload[], ref: ObjectRef): Workload | undefined =>
  workloads.find((one) => one.kind === 'DaemonSet' && one.namespace === ref.namespace && one.name === ref.name)

type Locked = Pick<Workload, 'rebootLock'>

export const isHeldBy = (locked: Locked, { run, wall }: { readonly run: string; readonly wall: WallMs }): boolean =>
  ownersAt(locked, wall).includes(lockOwner(run))

const isHeldByRun = (locked: Locked, wall: WallMs): boolean =>
  ownersAt(locked, wall).some((owner) => runOfLock(owner) !== undefined)

const ownersAt = ({ rebootLock }: Locked, wall: WallMs): readonly string[] =>
  (rebootLock === undefined ? [] : (lockHoldings(rebootLock) ?? []))
    .filter((one) => isHeldAt(one, wall))
    .map(({ owner }) => owner)

function notTaken(ref: ObjectRef, why: string): Reason {
  const { namespace, name } = ref
  return {
    code: 'KuredLockNotTaken',
    object: 'kured',
    text: `the lock of kured (DaemonSet ${refKey(ref)}) could not be taken: ${why}`,
    next: say`${kubectl`auth can-i patch daemonset/${name} -n ${namespace}`} says whether it may be written (deploy/roll-kured-rbac.yaml); without "reboot.kuredLock" in the file the roll only reads it`,
  }
}

/**
 * Whether the node or machine under way needs the lock from now on; undefined: no change. The lock is taken when nothing else
 * holds up the first node, not even the operator's gates. It is given back during the wait for a time window, or for a gate
 * that does not pass: kured must not be locked out for hours.
 */
export function kuredLockWanted(s: AnySnapshot, decision: AnyDecision): boolean | undefined {
  if (s.spec.reboot.kuredLock === undefined || !hasSubject(s)) return undefined
  if (isBegun(s)) return true
  // The node is recorded by now. The next step takes it out, and before that other lanes may give up the lock.
  if (decision.kind === 'act' && decision.step === 'record') return true
  if (decision.kind !== 'hold') return undefined
  if (decision.reasons.some(({ code }) => code === 'KuredLockDue' || code === 'KuredLockNotTaken')) return true
  return decision.reasons.some(isLongWait) ? false : undefined
}

/** A gate that is only being checked may pass at once: the lock is not given back for it between two nodes. */
const isLongWait = (reason: Reason): boolean =>
  waitOf(reason) === 'window' || reason.code === 'GateFails' || reason.code === 'GateUnknown'

import { refKey } from '../../../model/object-ref.ts'
import type { PlanFinding } from '../../../model/roll-plan.ts'
import type { WallMs } from '../../../model/time.ts'
import { MalformedReply, Untrusted } from '../../../model/untrusted.ts'
import type { Workload } from '../../../model/workload.ts'

interface RebootLock {
  /** Nodes that are drained or down for it. */
  readonly holders: readonly string[]
  readonly finding: PlanFinding
}

/** kured reboots nodes as well: while its lock is held, a node is drained or down for it. */
export const rebootLockFindings = (workloads: readonly Workload[], wall: WallMs | undefined): readonly PlanFinding[] =>
  rebootLocks(workloads, wall).map(({ finding }) => finding)

/** `workloads`: DaemonSets among them. */
export function rebootLocks(workloads: readonly Workload[], wall: WallMs | undefined): readonly RebootLock[] {
  return workloads.flatMap((workload): readonly RebootLock[] => {
    if (workload.rebootLock === undefined) return []
    const holders = holdersOf(workload.rebootLock, wall)
    if (holders.length === 0) return []
    const { namespace, name } = workload
    const finding: PlanFinding = {
      severity: 'block',
      code: 'KuredLockHeld',
      text: `kured (DaemonSet ${refKey(workload)}) reboots ${holders.join(' and ')} now: its lock is held`,
      fix: `wait until it has ended; if it never does: kubectl -n ${namespace} annotate daemonset ${name} weave.works/kured-node-lock-`,
    }
    return [{ holders, finding }]
  })
}

/** Nodes that hold it: one, or one of several with `--concurrency`. A lock that makes no sense is held. */
function holdersOf(text: string, wall: WallMs | undefined): readonly string[] {
  try {
    const lock = new Untrusted(JSON.parse(text), 'kured-node-lock')
    const several = lock.at('locks')
    const each = several.absent ? [lock] : several.each()
    return each.filter((one) => !isOver(one, wall)).flatMap((one) => one.at('nodeID').optionalText() || [])
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof MalformedReply) return ['a node that its lock does not name']
    throw error
  }
}

/** `TTL` in nanoseconds; 0: it never ends by itself. */
function isOver(lock: Untrusted, wall: WallMs | undefined): boolean {
  const ttl = Number(lock.at('TTL').raw ?? 0)
  const created = Date.parse(lock.at('created').textOr(''))
  return wall !== undefined && ttl > 0 && created + ttl / 1e6 < wall
}

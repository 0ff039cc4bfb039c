import { isHeldAt, KURED_LOCK, lockHoldings, runOfLock } from '../../../ground/model/kured-lock.ts'
import { refKey } from '../../../ground/model/object-ref.ts'
import type { PlanFinding } from '../../../ground/model/plan-finding.ts'
import { present } from '../../../ground/model/present.ts'
import { kubectl, say } from '../../../ground/model/sentence.ts'
import type { WallMs } from '../../../ground/model/time.ts'
import type { Workload } from '../../../ground/model/workload.ts'
import type { RollSpec } from '../../model/roll-spec.ts'
import { waysBack } from '../ways-back.ts'

interface RebootLock {
  /** Nodes that are drained or down for it, runs of rolls that took the lock, or any text that a person wrote there. */
  readonly holders: readonly string[]
  readonly finding: PlanFinding
}

/** kured reboots nodes as well: while its lock is held, a node is drained or down for it. */
export const rebootLockFindings = (
  workloads: readonly Workload[],
  { spec, wall, nodes }: { readonly spec: Pick<RollSpec, 'reboot'>; readonly wall?: WallMs; readonly nodes?: Named },
): readonly PlanFinding[] => [
  ...rebootLocks(workloads, { wall, ...present({ nodes }) }).map(({ finding }) => finding),
  ...missingDaemonSet(workloads, spec),
]

type Named = readonly { readonly name: string }[]

interface Asking {
  /** Absent: a lock that ends with time counts as held. */
  readonly wall: WallMs | undefined
  /** Locks of this run are left out. */
  readonly run?: string
  /** All nodes of the cluster; absent where they are not known. */
  readonly nodes?: Named
}

/** `workloads`: DaemonSets among them. */
export function rebootLocks(workloads: readonly Workload[], { wall, run, nodes }: Asking): readonly RebootLock[] {
  return workloads.flatMap((workload): readonly RebootLock[] => {
    if (workload.rebootLock === undefined) return []
    const all = heldIn(workload.rebootLock, wall)
    const holders = [...new Set(all)].filter((owner) => run === undefined || runOfLock(owner) !== run)
    return holders.length === 0 ? [] : [{ holders, finding: heldFinding(workload, holders, nodes) }]
  })
}

/** A lock that makes no sense counts as held. */
const heldIn = (text: string, wall: WallMs | undefined): readonly string[] =>
  lockHoldings(text)?.flatMap((one) => (wall === undefined || isHeldAt(one, wall) ? [one.owner] : [])) ?? [NAMELESS]

const NAMELESS = 'a node that its lock does not name'

function heldFinding(workload: Workload, holders: readonly string[], nodes?: Named): PlanFinding {
  const { namespace, name, rebootLockKey = KURED_LOCK } = workload
  const about = { severity: 'block', code: 'KuredLockHeld' } as const
  const [first = ''] = holders
  const run = holders.length === 1 ? runOfLock(first) : undefined
  if (run !== undefined) {
    const text = `run ${run} of a roll holds the lock of kured (DaemonSet ${refKey(workload)})`
    return { ...about, text, fix: say`wait until it has ended, or ${waysBack(run)}` }
  }
  const remove = kubectl`-n ${namespace} annotate daemonset ${name} ${rebootLockKey}-`
  const text = `the lock of kured (DaemonSet ${refKey(workload)}) is held by ${holders.map(holderText).join(' and ')}`
  const isKnown = holders.length > 1 || first === NAMELESS || nodes?.some((node) => node.name === first) !== false
  if (isKnown) return { ...about, text, fix: say`wait until it has ended; if it never does: ${remove}` }
  return {
    ...about,
    text: `${text}, which is no node of this cluster`,
    fix: say`a node that was deleted never gives it back; if nobody took it by hand: ${remove}`,
  }
}

/** A node is named as in the lock: a person may have written any name there. */
function holderText(owner: string): string {
  const run = runOfLock(owner)
  return run === undefined ? owner : `run ${run} of a roll`
}

function missingDaemonSet(
  workloads: readonly Workload[],
  { reboot: { kuredLock } }: Pick<RollSpec, 'reboot'>,
): readonly PlanFinding[] {
  if (kuredLock === undefined) return []
  const sets = workloads.filter(({ kind }) => kind === 'DaemonSet')
  if (sets.some((one) => refKey(one) === refKey(kuredLock))) return []
  const alike = sets.filter(({ name, rebootLock }) => name.includes('kured') || rebootLock !== undefined)
  const [other] = alike
  const correct = other === undefined ? '' : `name ${other.namespace} and ${other.name} there, or `
  return [
    {
      severity: 'error',
      code: 'KuredNotFound',
      text: `there is no DaemonSet ${refKey(kuredLock)}, whose lock "reboot.kuredLock" takes`,
      fix: say`${correct}remove "reboot.kuredLock" where no kured runs; ${kubectl`get daemonsets -A`} shows all of them`,
    },
  ]
}

import type { Condition } from '../../../ground/model/condition.ts'
import type { CheckedGuard } from '../guard-kind.ts'
import { parseGuardStatus } from './parse-guard-status.ts'

/** How a NodeGuard stands, by what its object says. */
export interface GuardState {
  /**
   * `well`: no node waits for anything but its turn; `unseen`: the controller has not looked at the object as it is now; `held`: a node
   * that asks is held, or the guards contradict each other; `failed`: nothing is done by it.
   */
  readonly kind: 'well' | 'unseen' | 'held' | 'failed'
  readonly code: string
  /** One sentence without a full stop. */
  readonly why: string
}

export const guardCondition = (
  { status }: Pick<CheckedGuard, 'status'>,
  type: string,
): Pick<Condition, 'status' | 'reason' | 'message'> | undefined => status.conditions.find((one) => one.type === type)

export function guardStateOf(guard: CheckedGuard): GuardState {
  const { name, generation, deleting, status } = guard
  if (deleting) return { kind: 'failed', code: 'Deleted', why: `${name} is being deleted` }
  const { observedGeneration } = status
  if (observedGeneration !== generation) {
    const seen = observedGeneration === undefined ? 'it has not seen it at all' : `it has seen ${observedGeneration}`
    return {
      kind: 'unseen',
      code: 'Unseen',
      why: `the controller has not seen generation ${generation} of ${name} yet: ${seen}`,
    }
  }
  return ofConditions(guard)
}

function ofConditions(guard: CheckedGuard): GuardState {
  const [stalled, conflict, held, ready] = ['Stalled', 'Conflict', 'Held', 'Ready'].map((type) =>
    guardCondition(guard, type),
  )
  const { nodes } = parseGuardStatus(guard)
  const isAny = (state: string): boolean => nodes.some((node) => node.state === state)
  if (stalled?.status === 'True') return { kind: 'failed', code: stalled.reason, why: stalled.message }
  if (conflict?.status === 'True' || isAny('Conflict'))
    return { kind: 'held', code: 'Conflict', why: conflict?.message ?? 'a node is in conflict' }
  if (held?.status === 'True' || isAny('Held'))
    return { kind: 'held', code: held?.reason ?? 'NodesHeld', why: held?.message ?? 'a node that asks is held' }
  return {
    kind: 'well',
    code: ready?.reason ?? 'NotSaid',
    why: ready?.message ?? `the status of ${guard.name} is empty`,
  }
}

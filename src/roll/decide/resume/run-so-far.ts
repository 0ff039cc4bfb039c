import type { RollSpec } from '../../model/roll-spec.ts'
import type { HookStates } from '../hooks/hook-states.ts'

/** A run by its journal. */
export interface RunSoFar {
  readonly id: string
  readonly spec: RollSpec
  readonly order: readonly string[]
  readonly done: readonly string[]
  /** As earlier processes of the run left its hooks. Absent: none was begun. */
  readonly hooksBefore?: HookStates['states']
  /** Machines of the load balancers. Absent: the file has none. */
  readonly hosts?: { readonly order: readonly string[]; readonly done: readonly string[] }
}

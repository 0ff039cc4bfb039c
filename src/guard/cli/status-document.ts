import { present } from '../../ground/model/present.ts'
import { guardStateOf } from '../decide/from-status/guard-state.ts'
import { parseGuardStatus } from '../decide/from-status/parse-guard-status.ts'
import type { CheckedGuard } from '../decide/guard-kind.ts'
import type { GuardCommands } from './guard-place.ts'
import { nextSteps } from './status-lines.ts'

/** One guard for scripts. */
export function guardDocument(guard: CheckedGuard, commands: GuardCommands): object {
  const { namespace, name, generation, spec, status } = guard
  const { desired, guarded, requested, held, granted, nodes, truncated, released } = parseGuardStatus(guard)
  const { kind, code, why } = guardStateOf(guard)
  return {
    ...{ namespace, name, generation },
    observedGeneration: status.observedGeneration,
    mode: spec.mode,
    group: spec.group,
    outcome: kind,
    code,
    why,
    counts: { desired, guarded, requested, held },
    ...present({ granted }),
    conditions: status.conditions,
    nodes,
    ...(truncated ? { truncated } : {}),
    released,
    next: nextSteps(guard, commands).map(({ command }) => command),
  }
}

import { systemClock as clock } from '../../src/ground/machine/system-clock.ts'
import { systemTimers as timers } from '../../src/ground/machine/system-timers.ts'
import { HttpHolds } from '../../src/guard/io/ask-hold.ts'
import { ProcessRules } from '../../src/guard/io/cel/process-rules.ts'
import { GuardLoop } from '../../src/guard/run/guard-loop.ts'
import { startRules } from '../process/start-rules.ts'
import type { GuardLoopOptions } from './controller-options.ts'
import { type LoopPlace, loopParts } from './loop-parts.ts'

/** The loop of NodeGuards. */
export function openGuardLoop({ guard, ...place }: LoopPlace & { readonly guard: GuardLoopOptions }): GuardLoop {
  const rules = new ProcessRules({ clock, timers, start: startRules })
  const findValue: ProcessRules['valueAt'] = (path, given) => rules.valueAt(path, given)
  return new GuardLoop({
    ...loopParts(place, guard.slotsNamespace),
    ...{ rules, source: new HttpHolds({ timers, findValue }) },
  })
}

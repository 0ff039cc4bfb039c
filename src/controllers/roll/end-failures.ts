import { countedFailedOf } from '../../core/availability/not-counted.ts'
import { countedWindows } from '../../core/roll/counted-windows.ts'
import { requestsFailed } from '../../core/roll/requests-failed.ts'
import type { ProbeFacts } from '../../model/probe.ts'
import type { ReloadSpan } from '../../model/reload-span.ts'
import { runFacts } from './gather.ts'
import type { EndFacts } from './roll-end.ts'
import type { RunState } from './run-state.ts'
import { unjudged } from './unjudged.ts'

/** All failed requests that an end must speak of. */
export function endFailures(
  run: RunState,
  probe: ProbeFacts | undefined,
  reloads: readonly ReloadSpan[],
): Pick<EndFacts, 'failed' | 'failures' | 'unjudged'> {
  if (probe === undefined) return { failed: 0, failures: [], unjudged: unjudged(run, undefined) }
  const facts = { run: runFacts(run), spec: run.spec, probe, reloads }
  const failed = countedFailedOf(countedWindows(facts))
  return { failed, failures: requestsFailed(facts), unjudged: unjudged(run, probe) }
}

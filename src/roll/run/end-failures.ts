import { wallMs } from '../../ground/model/time.ts'
import { countedFailedOf } from '../decide/availability/not-counted.ts'
import { countedWindows } from '../decide/counted-windows.ts'
import { requestsFailed } from '../decide/requests-failed.ts'
import type { StopSnapshot } from '../decide/stop/judged-failures.ts'
import { brokenRules } from '../decide/stop/stop-rules.ts'
import type { EndFacts } from './roll-end.ts'
import type { RunState } from './run-state.ts'
import { unjudged } from './unjudged.ts'

/** All failed requests that an end must speak of. */
export function endFailures(
  run: RunState,
  facts: StopSnapshot,
): Pick<EndFacts, 'failed' | 'failures' | 'unjudged'> & { readonly isAllowed?: true } {
  if (facts.probe === undefined) return { failed: 0, failures: [], unjudged: unjudged(run, undefined) }
  const failures = requestsFailed(facts)
  if (run.spec.stop !== undefined) return byRules(run, facts, failures)
  return { failed: countedFailedOf(countedWindows(facts)), failures, unjudged: unjudged(run, facts.probe) }
}

/**
 * As far as the file allows, requests may have failed, and the roll is done all the same. Those of a process that took the run up
 * count from its first sample on: a node may have been out before its baseline was green.
 */
function byRules(run: RunState, facts: StopSnapshot, failures: EndFacts['failures']): ReturnType<typeof endFailures> {
  const since = run.before === undefined ? {} : { measuredSince: wallMs(0) }
  const broken = brokenRules({ ...facts, run: { ...facts.run, ...since } }, true)
  if (broken.length === 0) return { failed: 0, failures, unjudged: [], isAllowed: true }
  return { failed: 0, failures, unjudged: [...broken.map(({ reason }) => reason()), ...failures] }
}

import { wallMs } from '../../ground/model/time.ts'
import { countedFailedOf } from '../decide/availability/not-counted.ts'
import { countedWindows } from '../decide/counted-windows.ts'
import { requestsFailed } from '../decide/requests-failed.ts'
import type { StopSnapshot } from '../decide/stop/judged-failures.ts'
import { brokenRules } from '../decide/stop/stop-rules.ts'
import type { EndSnapshot } from './roll-end.ts'
import type { RunState } from './run-state.ts'
import { unjudged } from './unjudged.ts'

/** All failed requests that an end must speak of. */
export function endFailures(
  run: RunState,
  snapshot: StopSnapshot,
): Pick<EndSnapshot, 'failed' | 'failures' | 'unjudged'> & { readonly isAllowed?: true } {
  if (snapshot.probe === undefined) return { failed: 0, failures: [], unjudged: unjudged(run, undefined) }
  const failures = requestsFailed(snapshot)
  if (run.spec.stop !== undefined) return byRules(run, snapshot, failures)
  return { failed: countedFailedOf(countedWindows(snapshot)), failures, unjudged: unjudged(run, snapshot.probe) }
}

/**
 * As far as the file allows, requests may have failed, and the roll is done all the same. Those of a process that took the run up
 * count from its first sample on: a node may have been out before its baseline was green.
 */
function byRules(
  run: RunState,
  snapshot: StopSnapshot,
  failures: EndSnapshot['failures'],
): ReturnType<typeof endFailures> {
  const since = run.before === undefined ? {} : { measuredSince: wallMs(0) }
  const broken = brokenRules({ ...snapshot, run: { ...snapshot.run, ...since } }, true)
  if (broken.length === 0) return { failed: 0, failures, unjudged: [], isAllowed: true }
  return { failed: 0, failures, unjudged: [...broken.map(({ reason }) => reason()), ...failures] }
}

import type { ProbeStatus } from '../../ground/model/probe.ts'
import type { Reason } from '../../ground/model/reason.ts'
import { wallMs } from '../../ground/model/time.ts'
import { countedFailedOf } from '../decide/availability/not-counted.ts'
import { countedWindows } from '../decide/counted-windows.ts'
import { runSnapshot } from './gather.ts'
import type { RunState } from './run-state.ts'

/**
 * Failed requests of a resumed run which no stop rule of this process looks at: those of earlier processes,
 * ended or killed, and those since, while a node may have been out and this process had no green baseline yet. A run in
 * which a request failed is never done, by whichever process.
 */
export function unjudged(run: RunState, probe: ProbeStatus | undefined): readonly Reason[] {
  if (run.before === undefined) return []
  const { failed, unreported } = run.before
  const snapshot = runSnapshot(run)
  const known = probe === undefined ? {} : { probe }
  const early = countedFailedOf(countedWindows({ run: { ...snapshot, measuredSince: wallMs(0) }, ...known }))
  return [
    ...reason(failed - unreported, 'before this run was resumed'),
    ...reason(unreported, 'before a process of this run was killed'),
    ...reason(early - countedFailedOf(countedWindows({ run: snapshot, ...known })), 'before traffic was green again'),
  ]
}

const reason = (failed: number, when: string): readonly Reason[] =>
  failed <= 0
    ? []
    : [{ code: 'RequestsFailed', text: `${failed} ${failed === 1 ? 'request' : 'requests'} failed ${when}` }]

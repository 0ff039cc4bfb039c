import type { StampedEvent } from '../../../src/roll/model/roll-event.ts'
import { windowAt } from './report-runs.ts'
import { RunTeller } from './run-teller.ts'

/** One node; a control excuses all of one window, and all but two of another. */
export function excusedRun(): readonly StampedEvent[] {
  const teller = new RunTeller('prod-eu1', ['w-1'])
  const blame = [{ node: 'w-1', step: 'settle', rank: 1 } as const]
  const settle = (): void => {
    const { now } = teller
    const all = windowAt(now, { lengthMs: 180, sent: 9, failed: 9, excused: 9 })
    teller.lost({ excused: 9 }).emit({ type: 'window.closed', window: all, blame: [], reloads: [], excused: true })
    const most = windowAt(now + 1_000, { lengthMs: 300, excused: 4 })
    teller.lost({ failed: 2, excused: 4 }).emit({ type: 'window.closed', window: most, blame, reloads: [] })
  }
  teller.node('w-1', { pods: 3, servers: [] }, { settle }).ended('w-1', { failedRequests: 2 })
  teller.emit({
    type: 'roll.ended',
    outcome: 'stopped',
    exitCode: 1,
    reasons: [{ code: 'RequestsFailed', text: '2 of 16 requests to shop failed (new): connect ECONNREFUSED' }],
    standings: [teller.standing('w-1', { failedRequests: 2 })],
    next: [],
    load: teller.load(),
  })
  return teller.events
}

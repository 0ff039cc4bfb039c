import type { StampedEvent } from '../../../src/roll/model/roll-event.ts'
import { windowAt } from './report-runs.ts'
import { RunTeller } from './run-teller.ts'

/** Twenty-five outages of both lanes while one node settles: a service that flaps. */
export function manyOutagesRun(): readonly StampedEvent[] {
  const teller = new RunTeller('prod-eu1', ['w-1'])
  const blame = [{ node: 'w-1', step: 'settle', rank: 1 } as const]
  const settle = (): void => {
    for (let count = 0; count < 25; count += 1) {
      for (const lane of ['new', 'kept'] as const) {
        const window = windowAt(teller.now, { lengthMs: 300, lane, ...(lane === 'kept' && { sent: 0, failed: 0 }) })
        teller.lost({ failed: window.failed }).emit({ type: 'window.closed', window, blame, reloads: [] })
      }
      teller.wait(4)
    }
  }
  teller.node('w-1', { pods: 3, servers: [] }, { settle }).ended('w-1', { failedRequests: 150 })
  const standings = [teller.standing('w-1', { failedRequests: 150 })]
  const reasons = [{ code: 'RequestsFailed' as const, text: '150 requests failed while w-1 settled' }]
  teller.emit({
    type: 'roll.ended',
    outcome: 'stopped',
    exitCode: 1,
    reasons,
    standings,
    next: [],
    load: teller.load(),
  })
  return teller.events
}

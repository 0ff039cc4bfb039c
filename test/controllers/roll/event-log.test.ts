import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EventLog } from '../../../src/controllers/roll/event-log.ts'
import type { JournalEntry } from '../../../src/ports/journal.ts'
import { aTick } from '../../support/journaled.ts'
import { VirtualClock } from '../../support/virtual-clock.ts'

test('of the ticks, one in five seconds is kept in the journal; all are shown', async () => {
  const clock = new VirtualClock()
  const kept: JournalEntry[] = []
  let shown = 0
  const journal = { run: 'run-1', append: async (entry: JournalEntry) => void kept.push(entry) }
  const events = new EventLog({ journal, clock, sink: () => (shown += 1), firstSeq: 0 })
  for (let second = 1; second <= 12; second += 1) {
    await clock.advance(1000)
    events.emit(aTick(second * 100))
  }
  await events.flushed()
  assert.equal(shown, 12)
  assert.deepEqual(
    kept.map(({ at }) => at),
    ['2026-01-01T00:00:01.000Z', '2026-01-01T00:00:06.000Z', '2026-01-01T00:00:11.000Z'],
  )
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FailureWindow } from '../../../../src/ground/model/probe.ts'
import { toIso, wallMs } from '../../../../src/ground/model/time.ts'
import { LiveProgress } from '../../../../src/roll/cli/screen/live-progress.ts'
import { PlainProgress } from '../../../../src/roll/cli/screen/plain-progress.ts'
import type { RollEvent } from '../../../../src/roll/model/roll-event.ts'
import { Screen } from '../../../ground/text/terminal/screen.ts'
import { VirtualClock } from '../../../support/virtual-clock.ts'
import { at, failure, reload, Story } from './roll-story.ts'

const style = { color: false, symbols: 'ascii' } as const
const KINDS = ['plain', 'live'] as const

/** A quiet roll of w-1 and w-2, on a clock that stands at 06:30:58.6. */
function rolling(kind: (typeof KINDS)[number]) {
  const screen = new Screen()
  const clock = new VirtualClock('2026-11-21T06:30:58.600Z')
  const parts = { sink: screen, clock, style, level: 0 as const }
  const progress = kind === 'plain' ? new PlainProgress(parts) : new LiveProgress(parts)
  for (const event of new Story().begin(['w-1', 'w-2']).events) progress.event(event)
  const stop = new AbortController()
  const run = progress.run(stop.signal).catch((error: unknown) => error)
  let seq = 99
  const emit = (event: RollEvent): void => {
    seq += 1
    progress.event({ ...event, v: '1.0', seq, at: toIso(clock.wallMs()) })
  }
  const end = async (): Promise<void> => {
    progress.close()
    stop.abort(new Error('over'))
    await run
  }
  const lines = () => screen.lines.filter((line) => line.includes(' window '))
  return { clock, emit, end, lines }
}

const { firstOkAt: _end, ...OPEN } = failure
const blame = [{ node: 'w-2', step: 'reboot', rank: 1 }] as const

/** One request of a lane that failed, and was seen to have at once. */
const oneFailed = (ms: number, lane: FailureWindow['lane']): FailureWindow => ({
  ...failure,
  lane,
  sent: 1,
  failed: 1,
  failures: { status: 1 },
  firstError: 'HTTP 503',
  lastOkAt: wallMs(ms - 20),
  firstBadAt: wallMs(ms),
  lastBadAt: wallMs(ms),
  firstOkAt: wallMs(ms + 20),
})

for (const kind of KINDS) {
  test(`${kind}: an outage is one line for both lanes, with the probe's name and the likeliest step`, async () => {
    const { clock, emit, end, lines } = rolling(kind)
    emit({ type: 'window.opened', window: { ...OPEN, failed: 1, failures: { connect: 1 } }, blame })
    emit({ type: 'window.closed', window: failure, blame })
    const kept = {
      ...failure,
      lane: 'kept',
      sent: 4,
      failed: 3,
      failures: { stale: 3 },
      lastBadAt: wallMs(failure.lastBadAt + 60),
      firstOkAt: wallMs(at('06:30:58.600')),
    } as const
    emit({ type: 'window.opened', window: kept, blame })
    await clock.advance(100)
    emit({ type: 'window.closed', window: kept, blame })
    await clock.advance(10_000)
    assert.deepEqual(lines(), [
      '06:30:58Z w-2    window    FAILED shop: 9 of 20 failed in 360 to 410 ms from 06:30:58.20Z, lanes new and kept, connect failed (6), kept connection closed (3); w-2, reboot; no other step was under way',
    ])
    await end()
  })

  test(`${kind}: of a low rate of failures over a minute a line a second is left, and it has them all`, async () => {
    const { clock, emit, end, lines } = rolling(kind)
    for (let i = 0; i < 240; i += 1) {
      const window = oneFailed(clock.wallMs(), i % 2 === 0 ? 'new' : 'kept')
      const { firstOkAt: _, ...open } = window
      emit({ type: 'window.opened', window: open, blame: [] })
      emit({ type: 'window.closed', window, blame: [] })
      await clock.advance(250)
    }
    await end()
    const counts = lines().map((line) => Number(/FAILED shop: (\d+) of \d+ failed/.exec(line)?.[1]))
    assert.ok(counts.length <= 61, `${counts.length} lines`)
    assert.equal(
      counts.reduce((sum, count) => sum + count, 0),
      240,
    )
    assert.equal(
      lines()[1],
      '06:31:00Z -      window    FAILED shop: 4 of 4 failed in 4 windows over 750 to 790 ms from 06:30:58.85Z, lanes new and kept, wrong status (4); no step was under way',
    )
  })
}

test('an outage that lasts is reported after a second, and again when it is over', async () => {
  const { clock, emit, end, lines } = rolling('plain')
  emit({ type: 'window.opened', window: OPEN, reloads: [reload], blame })
  await clock.advance(8_000)
  const lb2 = { ...reload, instance: 'lb-2' }
  emit({ type: 'window.closed', window: failure, reloads: [reload, lb2], blame })
  await clock.advance(8_000)
  assert.deepEqual(lines(), [
    '06:30:58Z w-2    window    FAILING shop: lane new, connect failed (6): connect ECONNREFUSED 10.0.0.9:443; reload of lb-1',
    '06:31:06Z w-2    window    FAILED shop: 6 of 16 failed in 300 to 340 ms from 06:30:58.20Z, lane new, connect failed (6); most likely reload of lb-1 and lb-2; also possible: w-2, reboot',
  ])
  await end()
})

test('what failed just before the end is reported before the end is', async () => {
  const { emit, end, lines } = rolling('plain')
  emit({ type: 'window.closed', window: failure, reloads: [reload], blame: [] })
  await end()
  assert.deepEqual(lines(), [
    '06:30:58Z -      window    FAILED shop: 6 of 16 failed in 300 to 340 ms from 06:30:58.20Z, lane new, connect failed (6); reload of lb-1; no step was under way',
  ])
})

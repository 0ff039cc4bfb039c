import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FailureWindow, Lane } from '../../../../src/ground/model/probe.ts'
import { ProbePrinter } from '../../../../src/roll/cli/probe/probe-printer.ts'
import { Histogram } from '../../../../src/roll/decide/availability/histogram.ts'
import { MemorySink } from '../../../cli/memory-context.ts'
import { VirtualClock } from '../../../support/virtual-clock.ts'
import { at, T0 } from '../../decide/availability/a-sample.ts'
import { aReading, aWindow } from './a-reading.ts'

const LOOK_EVERY_MS = 250

/** A probe that is looked at four times a second; `windowsAt` is what it knows so many ms after its begin. */
async function spoken(windowsAt: (ms: number) => readonly FailureWindow[], forMs: number) {
  const out = new MemorySink()
  const err = new MemorySink()
  const clock = new VirtualClock(new Date(T0).toISOString())
  const style = { color: false, symbols: 'ascii' } as const
  const modes = { progress: 'plain', level: 1, outStyle: style, errStyle: style } as const
  const voice = new ProbePrinter({ context: { out, err, clock }, modes, output: 'jsonl' })
  const reading = (ms: number) => aReading({ facts: { windows: windowsAt(ms) } })
  for (let ms = 0; ms < forMs; ms += LOOK_EVERY_MS) {
    voice.tick(reading(ms), new Histogram())
    await clock.advance(LOOK_EVERY_MS)
  }
  voice.ended(reading(forMs), 'failed', 0)
  const events = out.text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { readonly type: string })
  return { lines: err.text.split('\n').filter((line) => line !== ''), events }
}

const oneFailed = (ms: number, lane: Lane): FailureWindow =>
  aWindow({
    lane,
    sent: 1,
    failed: 1,
    failures: { status: 1 },
    firstError: 'HTTP 503',
    lastOkAt: at(ms - 20),
    firstBadAt: at(ms),
    lastBadAt: at(ms),
    firstOkAt: at(ms + 20),
  })

test('of a low rate of failures over a minute a line a second is said, and every window is an event', async () => {
  const all = Array.from({ length: 240 }, (_, i) => oneFailed(1_000 + i * 250, i % 2 === 0 ? 'new' : 'kept'))
  const { lines, events } = await spoken((ms) => all.slice(0, Math.max(0, Math.floor((ms - 1_000) / 250))), 61_250)
  const failed = lines.map((line) => Number(/https:\/\/app\.example\.com\/: (\d+) failed/.exec(line)?.[1]))
  assert.ok(lines.length <= 62, `${lines.length} lines`)
  assert.equal(
    failed.reduce((sum, count) => sum + count, 0),
    240,
  )
  assert.equal(
    lines[1],
    '06:00:01.25Z  https://app.example.com/: 4 failed in 4 windows over 750 to 790 ms, new and kept, HTTP 503',
  )
  assert.equal(events.filter(({ type }) => type === 'window.closed').length, 240)
})

test('both lanes of one outage are one line, and two events', async () => {
  const lanes = [oneFailed(1_000, 'new'), oneFailed(1_010, 'kept')]
  const { lines, events } = await spoken((ms) => (ms < 1_250 ? [] : lanes), 4_000)
  assert.deepEqual(lines, ['06:00:01.00Z  https://app.example.com/: 2 failed in 10 to 50 ms, new and kept, HTTP 503'])
  assert.equal(events.filter(({ type }) => type === 'window.closed').length, 2)
})

test('an outage that lasts is reported while it does; one that never ended is reported at the end', async () => {
  const { firstOkAt: _end, ...open } = aWindow({ firstBadAt: at(1_000), lastBadAt: at(1_500), lastOkAt: at(980) })
  const { lines } = await spoken((ms) => (ms < 1_250 ? [] : [open]), 6_000)
  assert.deepEqual(lines, [
    '06:00:01.00Z  https://app.example.com/ failing: 17 failed so far, new, connect refused',
    '06:00:01.00Z  https://app.example.com/: 17 failed in 500 ms or more, new, connect refused',
  ])
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { wallMs } from '../../../src/ground/model/time.ts'
import { zonedTimeText } from '../../../src/ground/model/zoned-time.ts'
import { timeWindowsOf } from '../../../src/roll/file/time-window-spans.ts'
import type { RecurringTime } from '../../../src/roll/model/time-window.ts'

const HOUR_MS = 3_600_000
const ZONE = 'Europe/Berlin'
const time = (cron: string, hours: number, zone = ZONE): RecurringTime => ({ cron, durationMs: hours * HOUR_MS, zone })
const at = (iso: string) => wallMs(Date.parse(iso))

function spans(
  open: readonly RecurringTime[],
  not: readonly RecurringTime[],
  from: string,
  count = 2,
): readonly string[] {
  const iso = (ms: number): string => new Date(ms).toISOString().slice(0, 16)
  return timeWindowsOf({ open, not })
    .spansFrom(at(from), count)
    .map((span) => `${iso(span.from)} to ${iso(span.to)}`)
}

const NIGHT = time('0 22 * * *', 6)

/** What the file says, when it is asked, and the next windows in UTC. */
const TABLE: readonly (readonly [
  string,
  readonly RecurringTime[],
  readonly RecurringTime[],
  string,
  readonly string[],
])[] = [
  [
    'a window before it opens',
    [NIGHT],
    [],
    '2026-01-15T12:00Z',
    ['2026-01-15T21:00 to 2026-01-16T03:00', '2026-01-16T21:00 to 2026-01-17T03:00'],
  ],
  [
    'a window that is open',
    [NIGHT],
    [],
    '2026-01-15T22:30Z',
    ['2026-01-15T21:00 to 2026-01-16T03:00', '2026-01-16T21:00 to 2026-01-17T03:00'],
  ],
  [
    'the very moment at which it opens',
    [NIGHT],
    [],
    '2026-01-15T21:00Z',
    ['2026-01-15T21:00 to 2026-01-16T03:00', '2026-01-16T21:00 to 2026-01-17T03:00'],
  ],
  [
    'the very moment at which it closes',
    [NIGHT],
    [],
    '2026-01-16T03:00Z',
    ['2026-01-16T21:00 to 2026-01-17T03:00', '2026-01-17T21:00 to 2026-01-18T03:00'],
  ],
  [
    'a night without the hour from two to three',
    [NIGHT],
    [],
    '2026-03-28T12:00Z',
    ['2026-03-28T21:00 to 2026-03-29T03:00', '2026-03-29T20:00 to 2026-03-30T02:00'],
  ],
  [
    'a night that has this hour twice',
    [NIGHT],
    [],
    '2026-10-24T12:00Z',
    ['2026-10-24T20:00 to 2026-10-25T02:00', '2026-10-25T21:00 to 2026-10-26T03:00'],
  ],
  [
    'an opening in the hour that is missing: at its end',
    [time('30 2 * * *', 1)],
    [],
    '2026-03-28T12:00Z',
    ['2026-03-29T01:00 to 2026-03-29T02:00', '2026-03-30T00:30 to 2026-03-30T01:30'],
  ],
  [
    'an opening in the hour that comes twice: once',
    [time('30 2 * * *', 1)],
    [],
    '2026-10-24T12:00Z',
    ['2026-10-25T00:30 to 2026-10-25T01:30', '2026-10-26T01:30 to 2026-10-26T02:30'],
  ],
  [
    'windows that overlap are one',
    [NIGHT, time('0 3 * * *', 3)],
    [],
    '2026-01-15T12:00Z',
    ['2026-01-15T21:00 to 2026-01-16T05:00', '2026-01-16T21:00 to 2026-01-17T05:00'],
  ],
  [
    'windows that touch are one',
    [time('0 0 * * SAT,SUN', 24)],
    [],
    '2026-01-15T12:00Z',
    ['2026-01-16T23:00 to 2026-01-18T23:00', '2026-01-23T23:00 to 2026-01-25T23:00'],
  ],
  [
    'a freeze at the beginning',
    [NIGHT],
    [time('0 20 15 1 *', 3)],
    '2026-01-15T12:00Z',
    ['2026-01-15T22:00 to 2026-01-16T03:00', '2026-01-16T21:00 to 2026-01-17T03:00'],
  ],
  [
    'a freeze in the middle',
    [NIGHT],
    [time('0 0 16 1 *', 1)],
    '2026-01-15T12:00Z',
    ['2026-01-15T21:00 to 2026-01-15T23:00', '2026-01-16T00:00 to 2026-01-16T03:00'],
  ],
  [
    'a freeze over days',
    [NIGHT],
    [time('0 0 15 1 *', 72)],
    '2026-01-15T12:00Z',
    ['2026-01-17T23:00 to 2026-01-18T03:00', '2026-01-18T21:00 to 2026-01-19T03:00'],
  ],
  [
    'expressions in two zones',
    [time('0 9 * * *', 1, 'Asia/Tokyo'), time('0 9 * * *', 1, 'UTC')],
    [],
    '2026-01-15T05:00Z',
    ['2026-01-15T09:00 to 2026-01-15T10:00', '2026-01-16T00:00 to 2026-01-16T01:00'],
  ],
  [
    '29 February',
    [time('0 0 29 2 *', 1, 'UTC')],
    [],
    '2026-01-01T00:00Z',
    ['2028-02-29T00:00 to 2028-02-29T01:00', '2032-02-29T00:00 to 2032-02-29T01:00'],
  ],
  ['a freeze over everything', [time('0 0 1 1 *', 1, 'UTC')], [time('0 0 1 1 *', 2, 'UTC')], '2026-01-01T00:00Z', []],
]

for (const [title, open, not, from, expected] of TABLE)
  test(`time windows: ${title}`, () => assert.deepEqual(spans(open, not, from), expected))

test('time windows are in order, apart from each other, and hold the moment or come after it', () => {
  const windows = timeWindowsOf({ open: [NIGHT, time('15 1 * * MON', 5)], not: [time('0 2 * * TUE', 2)] })
  const year = fc.integer({ min: Date.UTC(2026, 0, 1), max: Date.UTC(2027, 0, 1) })
  fc.assert(
    fc.property(year, (ms) => {
      const found = windows.spansFrom(wallMs(ms), 3)
      assert.equal(found.length, 3)
      assert.ok(found.every(({ from, to }) => from < to && to > ms))
      assert.ok(found.slice(1).every(({ from }, index) => from > (found[index]?.to ?? from)))
      const inside = found[0]
      assert.deepEqual(windows.spansFrom(wallMs(Math.max(ms, inside?.from ?? ms)), 1), [inside])
    }),
    { numRuns: 25 },
  )
})

test('a time is shown in its zone and in UTC', () => {
  assert.equal(
    zonedTimeText(Date.parse('2026-11-27T21:00Z'), ZONE),
    'Fri 2026-11-27 22:00 Europe/Berlin (Fri 21:00 UTC)',
  )
  assert.equal(
    zonedTimeText(Date.parse('2026-11-27T23:30Z'), ZONE),
    'Sat 2026-11-28 00:30 Europe/Berlin (Fri 23:30 UTC)',
  )
  assert.equal(zonedTimeText(Date.parse('2026-11-27T21:00Z'), 'UTC'), 'Fri 2026-11-27 21:00 UTC')
})

const SHORT = time('0 2 * * *', 1 / 3)
const LONGEST: readonly (readonly [
  title: string,
  open: readonly RecurringTime[],
  not: readonly RecurringTime[],
  hours: number,
])[] = [
  ['of each night and of the first Saturday of a month', [SHORT, time('0 20 * * 6#1', 8)], [], 8],
  ['of which two touch on Saturdays alone', [SHORT, time('20 2 * * SAT#1', 1 / 3)], [], 2 / 3],
  ['of which the next long one is frozen', [SHORT, time('0 20 * * 6#1', 8)], [time('0 0 1 12 *', 24 * 31)], 8],
  ['of which each long one is cut', [SHORT, time('0 20 * * 6#1', 8)], [time('0 22 * * SAT', 24)], 2],
  ['of which there is one kind', [SHORT], [], 1 / 3],
  ['of which there is none', [], [], 0],
]

for (const [title, open, not, hours] of LONGEST) {
  test(`the longest window of a file ${title} is known, however seldom it is`, () => {
    assert.equal(timeWindowsOf({ open, not }).longestMs(at('2026-11-08T12:00Z')), hours * HOUR_MS)
  })
}

/** crontab(5): either day is enough, unless one of both fields begins with `*`. */
const DAYS: readonly (readonly [cron: string, days: readonly string[]])[] = [
  ['0 22 1-7 * */7', ['2026-11-01', '2026-12-06', '2027-01-03']],
  ['0 22 */2 * MON', ['2026-11-09', '2026-11-23', '2026-12-07']],
  ['0 22 1 * MON', ['2026-11-01', '2026-11-02', '2026-11-09']],
  ['0 22 * * SUN', ['2026-11-01', '2026-11-08', '2026-11-15']],
  ['0 22 15 * *', ['2026-11-15', '2026-12-15', '2027-01-15']],
  ['0 22 * * 6#1', ['2026-11-07', '2026-12-05', '2027-01-02']],
]

for (const [cron, days] of DAYS) {
  test(`"${cron}" opens on the days on which crontab runs it`, () => {
    const found = timeWindowsOf({ open: [time(cron, 1, 'UTC')], not: [] }).spansFrom(at('2026-11-01T00:00Z'), 3)
    assert.deepEqual(
      found.map(({ from }) => new Date(from).toISOString().slice(0, 10)),
      days,
    )
  })
}

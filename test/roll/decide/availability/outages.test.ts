import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FailureWindow, Lane } from '../../../../src/ground/model/probe.ts'
import { asOutage, byOutage } from '../../../../src/roll/decide/availability/outages.ts'
import { at } from './a-sample.ts'

/** Bad from `from` to `to`, good 20 ms before and after. */
const aWindow = (lane: Lane, from: number, to: number, change: Partial<FailureWindow> = {}): FailureWindow => ({
  target: 'shop',
  control: false,
  lane,
  sent: 4,
  failed: 3,
  failures: { connect: 2, reset: 1 },
  firstError: `${lane} at ${from}`,
  lastOkAt: at(from - 20),
  firstBadAt: at(from),
  lastBadAt: at(to),
  firstOkAt: at(to + 20),
  ...change,
})

const open = (window: FailureWindow): FailureWindow => {
  const { firstOkAt: _end, ...rest } = window
  return rest
}

const grouped = (windows: readonly FailureWindow[]): readonly string[] =>
  byOutage(windows, (window) => window).map((group) => group.map(({ firstError }) => firstError).join(', '))

const GROUPS: readonly (readonly [what: string, windows: readonly FailureWindow[], expected: readonly string[]])[] = [
  [
    'both lanes that fail at the same time are one outage',
    [aWindow('new', 1_000, 1_100), aWindow('kept', 1_010, 1_110)],
    ['new at 1000, kept at 1010'],
  ],
  [
    'lanes that fail one after the other, with a good request of each in between, are two',
    [aWindow('new', 1_000, 1_000), aWindow('kept', 1_040, 1_040)],
    ['new at 1000', 'kept at 1040'],
  ],
  [
    'one failed request of each lane, a moment apart, is one outage',
    [aWindow('kept', 1_010, 1_010), aWindow('new', 1_000, 1_000)],
    ['new at 1000, kept at 1010'],
  ],
  [
    'a lane that fails on holds together what the other one loses meanwhile',
    [aWindow('new', 1_000, 1_100), open(aWindow('kept', 1_010, 1_900)), aWindow('new', 5_000, 5_100)],
    ['new at 1000, kept at 1010, new at 5000'],
  ],
  [
    'two targets that fail at the same time are two outages',
    [aWindow('new', 1_000, 1_100), aWindow('kept', 1_000, 1_100, { target: 'api' })],
    ['new at 1000', 'kept at 1000'],
  ],
]

for (const [what, windows, expected] of GROUPS) test(what, () => assert.deepEqual(grouped(windows), expected))

test('an outage has the counts of its lanes together, and the widest bounds', () => {
  assert.deepEqual(asOutage(aWindow('kept', 1_010, 1_110), aWindow('new', 1_000, 1_050, { sent: 10 })), {
    target: 'shop',
    control: false,
    lanes: ['new', 'kept'],
    sent: 14,
    failed: 6,
    failures: { connect: 4, reset: 2 },
    firstError: 'new at 1000',
    lastOkAt: at(980),
    firstBadAt: at(1_000),
    lastBadAt: at(1_110),
    firstOkAt: at(1_130),
  })
})

test('an edge that one lane never saw is not known of the outage', () => {
  const { lastOkAt: _good, ...unseen } = aWindow('new', 1_000, 1_050)
  const outage = asOutage(unseen, open(aWindow('kept', 1_010, 1_110)))
  assert.deepEqual([outage.lastOkAt, outage.firstOkAt], [undefined, undefined])
})

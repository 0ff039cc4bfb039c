import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FailureWindow } from '../../../src/ground/model/probe.ts'
import { wallMs } from '../../../src/ground/model/time.ts'
import type { JournalEntry } from '../../../src/roll/ports/journal.ts'
import { windowsBefore } from '../../../src/roll/run/windows-before.ts'

const aWindow = (at: number, failed = 1): FailureWindow => ({
  target: 'shop',
  control: false,
  lane: 'new',
  sent: failed,
  failed,
  failures: { connect: failed },
  firstError: 'ECONNREFUSED',
  firstBadAt: wallMs(at),
  lastBadAt: wallMs(at + 100),
})

const at = (ms: number): string => new Date(ms).toISOString()
const BLAME = [{ node: 'n1', step: 'drain', rank: 1 }]
let seq = 0
const entry = (type: 'window.opened' | 'window.closed', window: FailureWindow, more: object = {}): JournalEntry => ({
  v: '1.0',
  seq: seq++,
  at: at(window.lastBadAt),
  type,
  window,
  blame: BLAME,
  ...more,
})
const ended = (ms: number, outcome: string): JournalEntry => ({
  v: '1.0',
  seq: seq++,
  at: at(ms),
  type: 'roll.ended',
  outcome,
})
const verdict = (ms: number, kind: string): JournalEntry => ({
  at: at(ms),
  type: 'verdict',
  verdict: { kind, keepOut: false, reasons: [] },
})

const ROWS: readonly (readonly [title: string, entries: readonly JournalEntry[], failed: readonly number[]])[] = [
  ['nothing failed', [], []],
  [
    'a window that grew counts once, as it was told last',
    [
      entry('window.opened', aWindow(1_000)),
      entry('window.closed', aWindow(1_000, 3)),
      entry('window.opened', aWindow(9_000)),
    ],
    [3, 1],
  ],
  ['a control excused it', [entry('window.closed', aWindow(1_000), { excused: true })], []],
  [
    'the process was killed, or interrupted',
    [entry('window.closed', aWindow(1_000)), ended(2_000, 'interrupted')],
    [1],
  ],
  [
    'the roll was stopped since',
    [entry('window.closed', aWindow(1_000)), ended(2_000, 'stopped'), entry('window.closed', aWindow(3_000, 2))],
    [2],
  ],
  [
    'the process was killed between the verdict and its end',
    [entry('window.opened', aWindow(1_000)), verdict(1_500, 'stopped'), entry('window.closed', aWindow(1_000, 4))],
    [],
  ],
  [
    'a limit held the roll',
    [entry('window.closed', aWindow(1_000)), verdict(1_500, 'held'), ended(2_000, 'held')],
    [1],
  ],
]

for (const [title, entries, failed] of ROWS) {
  test(`what earlier processes used of what the file allows: ${title}`, () => {
    const found = windowsBefore(entries)
    assert.deepEqual(
      found.map(({ window }) => window.failed),
      failed,
    )
    assert.ok(found.every(({ blame }) => blame?.node === 'n1'))
  })
}

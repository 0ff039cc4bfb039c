import assert from 'node:assert/strict'
import { test } from 'node:test'
import { wallMs } from '../../../../src/ground/model/time.ts'
import { decide } from '../../../../src/roll/decide/decide.ts'
import { judge } from '../../../../src/roll/decide/judge.ts'
import type { RollSnapshot } from '../../../../src/roll/decide/snapshot.ts'
import type { TimeWindowSpec, TimeWindowState } from '../../../../src/roll/model/time-window.ts'
import type { Verdict } from '../../../../src/roll/model/verdict.ts'
import { announced, back, cordoned, out } from '../../../support/roll-stages.ts'
import { aRecord, aSnapshot, aSpec } from '../../../support/roll-world.ts'
import { shortDecision } from '../../../support/short-decision.ts'

const MIN_MS = 60_000
const NOW = wallMs(Date.UTC(2026, 0, 15, 22))
const at = (minutes: number) => wallMs(NOW + minutes * MIN_MS)
const NIGHTS: TimeWindowSpec = {
  zone: 'Europe/Berlin',
  open: [{ cron: '0 22 * * *', durationMs: 60 * MIN_MS, zone: 'Europe/Berlin' }],
  not: [],
  onClose: 'restore',
}
const NEXT = { from: at(1380), to: at(1440) }
const closed: TimeWindowState = { now: NOW, next: NEXT, longestMs: 60 * MIN_MS }
const open: TimeWindowState = { ...closed, open: { from: at(-30), to: at(30) } }
const needs = (minutes: number, by: 'estimate' | 'measured' = 'estimate'): TimeWindowState => ({
  ...open,
  need: { ms: minutes * MIN_MS, by },
})

function windowed(
  world: Parameters<typeof aSnapshot>[0],
  window?: TimeWindowState,
  change: Partial<TimeWindowSpec> = {},
) {
  const s = aSnapshot(world)
  return { ...s, spec: aSpec({ window: { ...NIGHTS, ...change } }), ...(window === undefined ? {} : { window }) }
}

const free = { change: { slot: { state: 'free', mayAct: false } as const } }

/** Before a node is begun. */
const BEGINNING: readonly (readonly [string, RollSnapshot, string])[] = [
  ['in a window', windowed(free, open), 'act slot: takeSlot'],
  ['in a window that it just fits into', windowed(free, needs(30)), 'act slot: takeSlot'],
  ['outside of every window', windowed(free, closed), 'hold slot: WindowClosed'],
  ['where windows are not known', windowed(free), 'hold slot: WindowClosed'],
  ['where no window comes', windowed(free, { now: NOW, longestMs: 0 }), 'hold slot: WindowClosed'],
  ['in a window that it does not fit into', windowed(free, needs(31)), 'hold slot: WindowClosesSoon'],
  ['where the slowest node took too long', windowed(free, needs(31, 'measured')), 'hold slot: WindowClosesSoon'],
  ['where no window is long enough', windowed(free, needs(61)), 'hold slot: WindowTooShort'],
  ['with the slot, in a window', windowed({}, open), 'act record: writeRecord'],
  ['with the slot, outside of every window', windowed({}, closed), 'act slot: releaseSlot'],
  ['with the slot, in a window that it does not fit into', windowed({}, needs(31)), 'act slot: releaseSlot'],
]

for (const [title, snapshot, decision] of BEGINNING)
  test(`law: no node is begun outside of a time window; ${title}`, () =>
    assert.equal(shortDecision(decide(snapshot)), decision))

const finish = { onClose: 'finish' } as const
const isPutBack = (verdict: Verdict | undefined): boolean =>
  verdict?.ofNode === true && !verdict.keepOut && verdict.reasons[0]?.code === 'WindowClosedMeanwhile'

/** A node in work, and whether it is put back. */
const IN_WORK: readonly (readonly [string, RollSnapshot, boolean])[] = [
  ['a node with nothing but a record', windowed({ record: aRecord() }, closed), true],
  ['a cordoned node', windowed(cordoned, closed), true],
  ['a detached node', windowed(out, closed), true],
  ['a node whose windows are not known', windowed(out), true],
  ['a detached node in a window', windowed(out, open), false],
  ['a detached node in a window that is too short for it', windowed(out, needs(31)), false],
  ['an announced node', windowed(announced, closed), false],
  ['a rebooted node', windowed(back, closed), false],
  ['a node with nothing but a record, to be finished', windowed({ record: aRecord() }, closed, finish), true],
  ['a cordoned node, to be finished', windowed(cordoned, closed, finish), false],
  ['a detached node, to be finished', windowed(out, closed, finish), false],
]

for (const [title, snapshot, expected] of IN_WORK)
  test(`law: outside of a time window nothing disrupts a node before the announcement of its reboot, unless the roll file has nodes finished; ${title}`, () => {
    const verdict = judge(snapshot)
    assert.equal(isPutBack(verdict), expected)
    if (verdict === undefined) return
    const decision = decide({ ...snapshot, run: { ...snapshot.run, verdict } })
    const actions = decision.kind === 'act' ? decision.actions.map(({ kind }) => kind) : []
    assert.deepEqual(
      actions.filter(
        (kind) => kind === 'evict' || kind === 'writeIntent' || kind === 'sendReboot' || kind === 'cordon',
      ),
      [],
    )
  })

test('a failed request stops the whole roll, also while a node is put back because a window closed', () => {
  const snapshot = windowed(out, closed)
  const putBack = judge(snapshot)
  assert.ok(putBack?.ofNode)
  const window = {
    target: 'shop',
    control: false,
    lane: 'new' as const,
    sent: 10,
    failed: 1,
    firstError: 'reset',
    failure: 'reset' as const,
    firstBadAt: wallMs(1_700_000_000_000),
    lastBadAt: wallMs(1_700_000_000_000),
  }
  const probe = {
    startedAt: wallMs(1_699_999_000_000),
    lanes: [],
    windows: [window as never],
    notMeasured: [],
    greenStreak: 0,
  }
  const run = { ...snapshot.run, verdict: putBack, measuredSince: wallMs(1_699_999_500_000) }
  const verdict = judge({ ...snapshot, run, probe })
  assert.deepEqual([verdict?.kind, verdict?.ofNode], ['stopped', undefined])
  assert.deepEqual(
    verdict?.reasons.map(({ code }) => code),
    ['WindowClosedMeanwhile', 'RequestsFailed'],
  )
})

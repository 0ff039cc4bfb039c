import assert from 'node:assert/strict'
import { test } from 'node:test'
import { wallMs } from '../../../../src/ground/model/time.ts'
import { windowTexts } from '../../../../src/roll/cli/screen/plan-windows.ts'
import { withTimes } from '../../../../src/roll/decide/plan/with-times.ts'
import type { RollPlan } from '../../../../src/roll/model/roll-plan.ts'
import type { TimeSpan, TimeWindowSpec } from '../../../../src/roll/model/time-window.ts'
import { aSpec } from '../../../support/roll-world.ts'

const at = (iso: string) => wallMs(Date.parse(iso))
const ZONE = 'Europe/Berlin'
const NIGHTS: TimeWindowSpec = {
  zone: ZONE,
  open: [{ cron: '0 22 * * *', durationMs: 1_200_000, zone: ZONE }],
  not: [],
  onClose: 'restore',
}
const SPANS = [15, 16].map((day) => ({
  from: at(`2026-01-${day}T21:00Z`),
  to: at(`2026-01-${day}T21:20Z`),
}))

const planOf = (...nodes: readonly string[]): RollPlan => ({
  cluster: 'test',
  nodes: nodes.map((node) => ({
    node,
    role: 'worker',
    address: '',
    bootId: '',
    detachFrom: [],
    podsToMove: [],
    stages: [],
  })),
  skipped: [],
  unmatchedServers: [],
  findings: [],
  load: [],
  checksPassed: 0,
})

const past = { run: 'r', nodeMs: [8 * 60_000] }
const planned = (wall: string, window: Partial<TimeWindowSpec> = {}, nodeMs = past.nodeMs) =>
  withTimes(planOf('n1', 'n2', 'n3'), {
    spec: aSpec({ window: { ...NIGHTS, ...window } }),
    past: { run: 'r', nodeMs },
    wall: at(wall),
    spans: SPANS,
  })

test('a plan says which nodes are done in which window, in its zone and in UTC', () => {
  assert.deepEqual(windowTexts(planned('2026-01-15T21:05Z')), [
    'open now, closes Thu 2026-01-15 22:20 Europe/Berlin (Thu 21:20 UTC): n1 by estimate',
    'opens Fri 2026-01-16 22:00 Europe/Berlin (Fri 21:00 UTC), closes Fri 2026-01-16 22:20 Europe/Berlin (Fri 21:20 UTC): n2, n3 by estimate',
    'if a window closes before the reboot of the current node is announced, the node is put back',
  ])
  assert.deepEqual(windowTexts({ ...planned('2026-01-15T21:05Z'), windowIgnoredBy: 'alice' }), [
    'time windows are ignored, as alice requested',
  ])
  assert.deepEqual(windowTexts(planOf('n1')), [])
})

/** A roll of machines alone: no node of the cluster needs a reboot. */
const ofMachines = (wall: string, window: Partial<TimeWindowSpec> = {}, spans: readonly TimeSpan[] = SPANS) => {
  const machine = { host: 'lb-1', pair: 'edge', instances: ['lb-1'], bootId: 'b', addresses: [] }
  const plan = { ...planOf(), hosts: [machine], skipped: [{ node: 'n1', why: 'needs no reboot' }] }
  return withTimes(plan, { spec: aSpec({ window: { ...NIGHTS, ...window } }), past, wall: at(wall), spans })
}

test('a plan of machines alone says whether a window is open, and estimates nothing', () => {
  const open = ofMachines('2026-01-15T21:05Z')
  assert.deepEqual(windowTexts(open), [
    'open now, closes Thu 2026-01-15 22:20 Europe/Berlin (Thu 21:20 UTC)',
    'a machine is begun in any window that is open: how long it takes is not estimated',
    'if a window closes before the reboot of the current machine is announced, the machine is put back',
  ])
  assert.deepEqual([open.findings, open.estimate], [[], undefined])
  assert.deepEqual(windowTexts(ofMachines('2026-01-15T20:00Z', { onClose: 'finish' })), [
    'opens Thu 2026-01-15 22:00 Europe/Berlin (Thu 21:00 UTC), closes Thu 2026-01-15 22:20 Europe/Berlin (Thu 21:20 UTC)',
    'a machine is begun in any window that is open: how long it takes is not estimated',
    'if a window closes before the reboot of the current machine is announced, the machine is finished',
  ])
})

test('a plan of machines alone finds what it would wait for, and that no window is left', () => {
  const found = (...asked: Parameters<typeof ofMachines>) =>
    ofMachines(...asked).findings.map(({ severity, code }) => `${severity} ${code}`)
  assert.deepEqual(found('2026-01-15T20:00Z'), ['warning WindowClosed'])
  assert.deepEqual(found('2026-01-15T20:00Z', { waitLimitMs: 0 }), ['block WindowClosed'])
  assert.deepEqual(found('2026-01-17T20:00Z', {}, []), ['error NoWindow'])
})

test('a node that fits into none of the next windows and into a later one does not block the plan', () => {
  const found = (longestMs: number) =>
    withTimes(planOf('n1'), {
      spec: aSpec({ window: NIGHTS }),
      past: { run: 'r', nodeMs: [60 * 60_000] },
      wall: at('2026-01-15T21:05Z'),
      spans: SPANS,
      longestMs,
    }).findings.map(({ severity, code }) => `${severity} ${code}`)
  assert.deepEqual([found(20 * 60_000), found(8 * 3_600_000)], [['block WindowTooShort'], []])
})

test('a plan in which nothing is rolled judges no window', () => {
  const none = { ...planOf(), hosts: [], skipped: [{ node: 'n1', why: 'needs no reboot' }] }
  const spec = aSpec({ window: NIGHTS })
  assert.deepEqual(withTimes(none, { spec, past, wall: at('2026-01-15T20:00Z'), spans: SPANS }), none)
})

test('a plan of nodes and machines says that its windows are those of the nodes', () => {
  const [machine] = ofMachines('2026-01-15T21:05Z').hosts ?? []
  const hosts = machine === undefined ? [] : [machine]
  assert.deepEqual(windowTexts({ ...planned('2026-01-15T21:05Z'), hosts }).slice(2), [
    'a machine is begun in any window that is open: how long it takes is not estimated',
    'if a window closes before the reboot of the current node or machine is announced, it is put back',
  ])
})

/** When it begins, what differs, and what the plan finds. */
const FINDINGS: readonly (readonly [string, Partial<TimeWindowSpec>, readonly number[], readonly string[]])[] = [
  ['2026-01-15T21:05Z', {}, past.nodeMs, []],
  ['2026-01-15T20:00Z', {}, past.nodeMs, ['warning WindowClosed']],
  ['2026-01-15T20:00Z', { waitLimitMs: 3_600_000 }, past.nodeMs, ['warning WindowClosed']],
  ['2026-01-15T20:00Z', { waitLimitMs: 0 }, past.nodeMs, ['block WindowClosed']],
  ['2026-01-15T21:05Z', {}, [1_300_000], ['block WindowTooShort', 'block WindowTooShort', 'block WindowTooShort']],
]

for (const [wall, window, nodeMs, expected] of FINDINGS)
  test(`a plan at ${wall} with ${JSON.stringify(window)} and nodes of ${nodeMs} ms finds ${expected.join(', ') || 'nothing'}`, () =>
    assert.deepEqual(
      planned(wall, window, [...nodeMs]).findings.map(({ severity, code }) => `${severity} ${code}`),
      expected,
    ))

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiOutage } from '../../../src/ground/loop/api-outage.ts'
import { toIso, wallMs } from '../../../src/ground/model/time.ts'
import type { NodeResult } from '../../../src/roll/model/roll-event.ts'
import type { JournalEntry } from '../../../src/roll/ports/journal.ts'
import { allResults } from '../../../src/roll/run/all-results.ts'
import { outageAfter } from '../../../src/roll/run/api-before.ts'
import { runFromJournal } from '../../../src/roll/run/run-from-journal.ts'
import { aJournal, journaled } from '../../support/journaled.ts'
import { leave, memoryRoll } from '../../support/memory-roll.ts'
import { aRecord, aSpec } from '../../support/roll-world.ts'
import { VirtualClock } from '../../support/virtual-clock.ts'

const standing: NodeResult = {
  node: 'n1',
  state: 'inService',
  step: 'soak',
  cordoned: false,
  detached: false,
  podsMoved: 14,
  failedRequests: 2,
  text: 'back in service',
}

const through = (node: string) => ({ at: '2026-11-21T06:05:00.000Z', type: 'through', node })

test('a node that an earlier process was through with keeps what it moved and what failed', () => {
  const { run } = runFromJournal(
    aJournal(journaled(['06:05:01', { type: 'node.ended', standing }]), [through('n1'), through('n2')]),
  )
  assert.deepEqual(run.done, ['n1', 'n2'])
  assert.deepEqual(
    allResults(run, new Map()).map(({ node, state, podsMoved, failedRequests, text }) => [
      node,
      state,
      podsMoved,
      failedRequests,
      text,
    ]),
    [
      ['n1', 'inService', 14, 2, 'back in service, by an earlier process of this run'],
      ['n2', 'inService', 0, 0, 'back in service, by an earlier process of this run'],
      ['n3', 'notTouched', 0, 0, 'not touched'],
    ],
  )
})

test('the node that was begun last may be out, until the run is through with it', () => {
  const meant = (node: string) => ({
    at: '2026-11-21T06:05:00.000Z',
    type: 'meant',
    actions: [{ kind: 'cordon', node }],
  })
  const underWay = (...notes: readonly JournalEntry[]) => runFromJournal(aJournal([], notes)).run.underWay
  assert.equal(underWay(), undefined)
  assert.equal(underWay(meant('n1')), 'n1')
  assert.equal(underWay(meant('n1'), through('n1')), undefined)
  assert.equal(underWay(meant('n1'), through('n1'), meant('n2'), meant('n2')), 'n2')
})

test('a node that was taken out again after it was through is under way, and the run has not ended', () => {
  const again = { at: '2026-11-21T06:06:00.000Z', type: 'meant', actions: [{ kind: 'cordon', node: 'n3' }] }
  const all = [through('n1'), through('n2'), through('n3')]
  const { run, ended } = runFromJournal(aJournal([], [...all, again]))
  assert.deepEqual([run.done, run.underWay, ended], [['n1', 'n2'], 'n3', false])
  assert.equal(runFromJournal(aJournal([], [...all, again, through('n3')])).ended, true)
})

test('a run goes by the file that it was given last, and only by such nodes', () => {
  const amended = (soakMs: number) => ({
    at: '2026-11-21T06:05:00.000Z',
    type: 'amended',
    spec: aSpec({ soakMs }),
    order: ['n1', 'n3'],
  })
  const { run, ended } = runFromJournal(aJournal([], [amended(1), through('n1'), amended(2), through('n3')]))
  assert.deepEqual([run.spec.soakMs, run.order, run.done, ended], [2, ['n1', 'n3'], ['n1', 'n3'], true])
})

test('a journal that was made to put back what a run left says who holds the slot for it', () => {
  const journal = aJournal([])
  const [planned, ...rest] = journal.entries
  assert.ok(planned)
  const restoring = { ...journal, entries: [{ ...planned, restoresAs: 'run-1+ab12' }, ...rest] }
  assert.equal(runFromJournal(restoring).run.restoresAs, 'run-1+ab12')
  assert.equal(runFromJournal(journal).run.restoresAs, undefined)
})

test('what an earlier process evicted counts for the node that it was evicted from, and for no other', async (t) => {
  const evicted = ['p1', 'p2'].map((name) => ({
    at: '2026-11-21T06:05:00.000Z',
    type: 'evicted',
    node: 'n1',
    uid: `uid-${name}`,
    pod: { name: `shop/${name}`, stage: 2 },
  }))
  const { run } = runFromJournal(aJournal([], evicted))
  const roll = memoryRoll({ run })
  const running = roll.begin()
  t.after(() => leave(roll, running))
  await roll.clock.advance(400_000)
  assert.deepEqual(
    roll.ended()?.standings.map(({ node, podsMoved }) => [node, podsMoved]),
    [
      ['n1', 2],
      ['n2', 0],
      ['n3', 0],
    ],
  )
})

test('the record of a node is known from before once more was meant for the node, until it is put back', () => {
  const meant = (action: object) => ({ at: '2026-11-21T06:05:00.000Z', type: 'meant', actions: [action] })
  const record = meant({ kind: 'writeRecord', node: 'n1', record: aRecord() })
  const sent = meant({ kind: 'sendReboot', node: 'n1', bootId: aRecord().bootId })
  const other = meant({ kind: 'sendReboot', node: 'n1', bootId: 'another boot' })
  const known = (...notes: readonly JournalEntry[]) => runFromJournal(aJournal([], notes)).run.recordsBefore
  const cordon = meant({ kind: 'cordon', node: 'n1' })
  const [putBack] = journaled([
    '06:05:00',
    { type: 'write', node: 'n1', action: 'removeRecord', text: 'the record is removed', ok: true },
  ])
  assert.ok(putBack)
  const of = (isSent: boolean) => ({ n1: { record: aRecord(), isSent } })
  assert.deepEqual(
    [
      known(record, cordon),
      known(record, sent),
      known(record, other),
      known(record, cordon, { ...putBack, ok: false }),
    ],
    [of(false), of(true), of(false), of(false)],
  )
  const nothing = [known(record), known(record, sent, through('n1')), known(record, cordon, putBack)]
  assert.deepEqual(nothing, [{}, {}, {}])
})

test('what an earlier process did to a node counts until the node is put back, and not where it is begun anew', () => {
  const at = '2026-11-21T06:05:00.000Z'
  const meant = (action: object) => ({ at, type: 'meant', actions: [action] })
  const begin = meant({ kind: 'writeRecord', node: 'n1', record: aRecord(), asOf: '1' })
  const left = { at, type: 'evicted', node: 'n1', uid: 'uid-roll', pod: { name: 'ops/roll-a', stage: 0 } }
  const putBack = (action: string) =>
    journaled(['06:06:00', { type: 'write', node: 'n1', action, text: 'done', ok: true }])
  const known = (...notes: readonly JournalEntry[]) => {
    const { effectsBefore, inWorkBefore } = runFromJournal(aJournal([], notes)).run
    return [Object.keys(effectsBefore.n1?.evicted ?? {}), inWorkBefore]
  }
  const nothing = [[], undefined]
  assert.deepEqual(known(begin, left), [['uid-roll'], ['n1']])
  assert.deepEqual(known(begin, left, ...putBack('removeRecord')), nothing)
  assert.deepEqual(known(begin, left, ...putBack('releaseSlot')), nothing, 'the slot goes after the record')
  assert.deepEqual(known(begin, left, begin), [[], ['n1']])
})

test('a pod whose eviction was to be sent counts as evicted by the next process, unless it was refused', () => {
  const at = '2026-11-21T06:05:00.000Z'
  const pod = { name: 'shop/cart-0', stage: 2, workload: 'ReplicaSet shop/cart' }
  const asked = { at, type: 'evicting', node: 'n1', uid: 'uid-cart-0', pod }
  const stays = { at, type: 'evicting', node: 'n1', uid: 'uid-cart-0' }
  const known = (...notes: readonly JournalEntry[]) => runFromJournal(aJournal([], notes)).run.effectsBefore.n1?.evicted
  assert.deepEqual(known(asked), { 'uid-cart-0': pod })
  assert.deepEqual([known(asked, stays), known(asked, stays, asked)], [{}, { 'uid-cart-0': pod }])
})

test('the events of a resumed run are counted on from the last one in its journal, or from 0', () => {
  const { firstSeq } = runFromJournal(
    aJournal(journaled(['06:05:01', { type: 'node.ended', standing }], ['06:05:02', { type: 'node.ended', standing }])),
  )
  assert.equal(firstSeq, 2)
  assert.equal(runFromJournal(aJournal([])).firstSeq, 0)
})

test('an outage of the API server that an earlier process saw counts for this one: until its end, or until now where it saw none', () => {
  const clock = new VirtualClock()
  const api = (secondsAgo: number, isAway: boolean): JournalEntry => ({
    at: toIso(wallMs(clock.wallMs() - secondsAgo * 1000)),
    type: 'api',
    isAway,
  })
  const agoMs = (...entries: readonly JournalEntry[]): number | undefined => {
    const { lastAt } = outageAfter(runFromJournal(aJournal([], entries)).run.apiBefore, {
      clock,
      events: { note: () => undefined },
    })
    return lastAt === undefined ? undefined : clock.monoMs() - lastAt
  }
  assert.equal(agoMs(), undefined)
  assert.equal(agoMs(api(50, true), api(20, false)), 20_000)
  assert.equal(agoMs(api(50, true), api(20, false), api(10, true)), 0)
  // The clock of the machine was put back meanwhile.
  assert.equal(agoMs(api(50, true), api(-30, false)), 0)
})

test('an outage whose end no process saw ends with the first that has streams, so that the one after it waits for nothing', () => {
  const clock = new VirtualClock()
  const noted: JournalEntry[] = [{ at: toIso(clock.wallMs()), type: 'api', isAway: true }]
  const note = (type: string, fields: object) => void noted.push({ ...fields, type, at: toIso(clock.wallMs()) })
  const parts = outageAfter(runFromJournal(aJournal([], noted)).run.apiBefore, { clock, events: { note } })
  new ApiOutage(parts).note([{ synced: true }], clock.monoMs())
  assert.equal(runFromJournal(aJournal([], noted)).run.apiBefore?.isAway, false)
})

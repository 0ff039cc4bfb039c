import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Node } from '../../../src/ground/model/node.ts'
import { LastSeen, recordFrom, recordOf } from '../../../src/roll/run/last-seen.ts'
import { NodeOverlay } from '../../../src/roll/run/node-overlay.ts'
import { formatRecord, INTENT_ANNOTATION, RECORD_ANNOTATION } from '../../../src/service/model/node-record.ts'
import { aNode, aRecord, NEW_BOOT } from '../../support/roll-world.ts'

const RECORD = formatRecord(aRecord())
const recorded = (change: Partial<Node> = {}): Node =>
  aNode('n1', { annotations: { [RECORD_ANNOTATION]: RECORD }, ...change })
const announced = recorded({ annotations: { [RECORD_ANNOTATION]: RECORD, [INTENT_ANNOTATION]: '{}' } })
const anew = (change: Partial<Node> = {}): Node => aNode('n1', { uid: 'uid-anew', ...change })

/** What is made of a node that is told after it was under way like that. */
function sighted(before: Node, now: Node | undefined, run = 'run-1') {
  const seen = new LastSeen({ id: run })
  seen.begin(before)
  const { absent, lostRecord, lostIntent, node } = seen.again('n1', now) ?? {}
  return { absent, lostRecord, isAnnounced: lostIntent !== undefined, ready: node?.ready }
}

test('a node whose object is gone is as it was last seen, but its Ready condition is Unknown', () => {
  assert.deepEqual(sighted(recorded(), undefined), {
    absent: true,
    lostRecord: undefined,
    isAnnounced: false,
    ready: 'Unknown',
  })
})

test('a node that is registered anew without our record has lost it', () => {
  assert.deepEqual(sighted(recorded(), anew()), {
    absent: undefined,
    lostRecord: RECORD,
    isAnnounced: false,
    ready: 'True',
  })
})

test('the very node that bears no record any more has lost it, unless this process takes it off', () => {
  assert.equal(sighted(recorded(), aNode('n1')).lostRecord, RECORD)
  const seen = new LastSeen({ id: 'run-1' })
  seen.begin(recorded())
  seen.ends()
  assert.deepEqual(seen.again('n1', recorded()), { node: recorded() })
  assert.deepEqual(seen.again('n1', aNode('n1')), { node: aNode('n1') })
})

test('a node that was put back and is begun again by the same process loses its record to others like any', () => {
  const seen = new LastSeen({ id: 'run-1' })
  seen.begin(recorded())
  seen.ends()
  seen.again('n1', aNode('n1'))
  seen.begin(aNode('n1'))
  seen.again('n1', recorded())
  assert.equal(seen.again('n1', aNode('n1'))?.lostRecord, RECORD)
})

test('a node that an earlier process had changed has lost its record, also where it is found without one', () => {
  const found = (isSent: boolean, change: Partial<Node>) =>
    new LastSeen({ id: 'run-1', recordsBefore: { n1: { record: aRecord(), isSent } } }).begin(anew(change))
  assert.equal(found(false, {})?.lostRecord, RECORD)
  assert.equal(found(true, { bootId: '' })?.absent, true, 'whether it has rebooted is not known yet')
  const { lostRecord, lostIntent } = found(true, {}) ?? {}
  assert.deepEqual([lostRecord, lostIntent?.bootId], [RECORD, aRecord().bootId], 'its reboot may still come')
  assert.equal(found(true, { bootId: NEW_BOOT })?.lostIntent, undefined)
})

test('a record that one lane has found counts for no other lane as one of before', () => {
  const run = { id: 'run-1', recordsBefore: { n1: { record: aRecord(), isSent: false } } }
  new LastSeen(run).begin(recorded())
  assert.equal(new LastSeen(run).begin(aNode('n1'))?.lostRecord, undefined)
})

test('the record of another run is not ours to write again', () => {
  assert.deepEqual(sighted(recorded(), anew(), 'run-2'), {
    absent: undefined,
    lostRecord: undefined,
    isAnnounced: false,
    ready: 'True',
  })
})

test('a node whose reboot was announced stays announced until it bears another boot id', () => {
  assert.equal(sighted(announced, anew({ bootId: '' })).absent, true)
  assert.deepEqual(
    [sighted(announced, anew()), sighted(announced, anew({ bootId: NEW_BOOT }))].map(({ lostRecord, isAnnounced }) => [
      lostRecord,
      isAnnounced,
    ]),
    [
      [RECORD, true],
      [RECORD, false],
    ],
  )
})

test('an announcement that others took off, or wrote over, counts for as long as the record and the boot id stay', () => {
  const intentOf = (run: string) => formatRecord({ version: 1, run, bootId: aRecord().bootId, at: aRecord().at })
  const told = (run: string) =>
    recorded({ annotations: { [RECORD_ANNOTATION]: RECORD, [INTENT_ANNOTATION]: intentOf(run) } })
  const after = (before: Node, ...now: readonly Node[]) => {
    const seen = new LastSeen({ id: 'run-1' })
    seen.begin(before)
    return now.map((node) => seen.again('n1', node)?.lostIntent !== undefined)
  }
  assert.deepEqual(after(told('run-1'), told('run-1'), recorded(), recorded(), told('run-9'), told('run-1')), [
    ...[false, true, true, true, false],
  ])
  assert.deepEqual(after(told('run-1'), recorded({ bootId: NEW_BOOT })), [false])
  assert.deepEqual(after(told('run-9'), recorded()), [false], 'it was never this run’s')
  assert.deepEqual(after(told('run-1'), recorded(), aNode('n1')), [true, true], 'then the record, too')
  const found = (isSent: boolean) =>
    new LastSeen({ id: 'run-1', recordsBefore: { n1: { record: aRecord(), isSent } } }).begin(recorded())
  assert.deepEqual(
    [found(true), found(false)].map((seen) => seen?.lostIntent?.bootId),
    [aRecord().bootId, undefined],
  )
})

test('a record is read from the text that is asked for, also where the node bore another before', () => {
  const node = recorded()
  const other = formatRecord(aRecord({ run: 'run-2' }))
  assert.equal(recordOf(node)?.run, 'run-1')
  const parsed = recordFrom(node, other)
  assert.equal(parsed.ok && parsed.value.run, 'run-2')
})

test('our own write stands until the watch is as new, and never for an object of another uid', () => {
  const overlay = new NodeOverlay()
  const at = (resourceVersion: string, change: Partial<Node> = {}): Node => aNode('n1', { resourceVersion, ...change })
  const written = at('20', { unschedulable: true })
  overlay.wrote(written)
  const older = at('9')
  const [same, newer, another] = [at('20'), at('100'), at('9', { uid: 'uid-anew' })]
  assert.equal(overlay.newest(older), written)
  for (const node of [same, newer, another]) assert.equal(overlay.newest(node), node)
  assert.equal(overlay.newest(undefined), undefined)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { wallMs } from '../../../src/ground/model/time.ts'
import { type ByHandChange, type ByHandRequest, changeByHand, formatByHand } from '../../../src/guard/decide/by-hand.ts'
import type { ByHand } from '../../../src/guard/model/node-guard.ts'

const NOW = wallMs(Date.parse('2026-01-01T12:00:00Z'))
const ours: ByHand = { node: 'n1', by: 'alice', until: '2026-01-01T12:10:00Z', why: 'disk is dead' }
const before: ByHand = { node: 'n1', by: 'alice', until: '2026-01-01T12:05:00Z' }
const bob: ByHand = { node: 'n1', by: 'bob', until: '2026-01-01T13:00:00Z' }
const other: ByHand = { node: 'n2', by: 'alice' }
const over: ByHand = { node: 'n3', by: 'carol', until: '2026-01-01T12:00:00Z' }

const add: ByHandRequest = { kind: 'add', entry: ours }
const remove: ByHandRequest = { kind: 'remove', node: 'n1', by: 'alice' }

const ROWS: readonly (readonly [
  title: string,
  entries: readonly ByHand[],
  request: ByHandRequest,
  becomes: ByHandChange,
])[] = [
  ['the first entry', [], add, { kind: 'write', entries: [ours], left: [] }],
  ['a person has one entry for a node', [before, other], add, { kind: 'write', entries: [other, ours], left: [] }],
  ['entries of others stay', [bob, other], add, { kind: 'write', entries: [bob, other, ours], left: [bob] }],
  ['entries that are over go', [over], add, { kind: 'write', entries: [ours], left: [] }],
  ['removed', [before, other], remove, { kind: 'write', entries: [other], left: [] }],
  [
    'removed, and another person wrote one as well',
    [before, bob],
    remove,
    { kind: 'write', entries: [bob], left: [bob] },
  ],
  ['nothing to remove', [other], remove, { kind: 'nothing' }],
  ['what is over needs no removal', [{ ...before, until: '2026-01-01T11:00:00Z' }], remove, { kind: 'nothing' }],
  ['an entry of another person is not removed', [bob], remove, { kind: 'others', entries: [bob] }],
]

for (const [title, entries, request, becomes] of ROWS) {
  test(`what becomes of the entries of persons: ${title}`, () => {
    assert.deepEqual(changeByHand({ entries }, request, { now: NOW, replaces: false }), becomes)
  })
}

test('a list that cannot be read is not overwritten, unless it is given up', () => {
  const found = { entries: [], unreadable: 'it is not JSON' }
  const kept = { kind: 'unreadable', why: 'it is not JSON' }
  assert.deepEqual(changeByHand(found, add, { now: NOW, replaces: false }), kept)
  assert.deepEqual(changeByHand(found, remove, { now: NOW, replaces: false }), kept)
  const [written, emptied] = [add, remove].map((request) => changeByHand(found, request, { now: NOW, replaces: true }))
  assert.deepEqual(written, { kind: 'write', entries: [ours], left: [] })
  assert.deepEqual(emptied, { kind: 'write', entries: [], left: [] })
})

test('the annotation goes with its last entry', () => {
  assert.equal(formatByHand([]), undefined)
  assert.equal(
    formatByHand([other, ours]),
    '[{"node":"n2","by":"alice"},{"node":"n1","by":"alice","until":"2026-01-01T12:10:00Z","why":"disk is dead"}]',
  )
})

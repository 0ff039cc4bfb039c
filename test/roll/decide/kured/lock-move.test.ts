import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type KuredDaemonSet, lockHoldings, newLock } from '../../../../src/ground/model/kured-lock.ts'
import { wallMs } from '../../../../src/ground/model/time.ts'
import { LOCK_FRESH_MS, lockMove } from '../../../../src/roll/decide/kured/lock-move.ts'

const AT = wallMs(Date.UTC(2026, 0, 1, 12))
const RUN = 'run-1'
const MIN = 60_000

const node = (nodeID: string, TTL = 0) => ({ nodeID, metadata: {}, created: new Date(AT - MIN).toISOString(), TTL })
const single = (nodeID: string, TTL = 0): string => JSON.stringify(node(nodeID, TTL))
const list = (...locks: readonly object[]): string => JSON.stringify({ maxOwners: locks.length, locks })
const ours = (ageMs: number, concurrency = 1): string => newLock({ run: RUN, wall: wallMs(AT - ageMs), concurrency })
const entries = (text: string): readonly object[] => JSON.parse(text).locks

interface Row {
  readonly title: string
  readonly lock?: string
  readonly concurrency?: number
  /** Where the run wants it, and where it does not. */
  readonly wanted: string
  readonly unwanted: string
}

const ROWS: readonly Row[] = [
  { title: 'free', wanted: 'take 1', unwanted: 'none' },
  { title: 'free, and kured reboots three at once', concurrency: 3, wanted: 'take 3', unwanted: 'none' },
  { title: 'free, with a concurrency that makes no sense', concurrency: 9999, wanted: 'take 100', unwanted: 'none' },
  { title: 'held by a node', lock: single('n2'), wanted: 'held by n2', unwanted: 'none' },
  { title: 'held by a node whose time is over', lock: single('n2', 59e9), wanted: 'take 1', unwanted: 'none' },
  { title: 'held by a node that has time left', lock: single('n2', 61e9), wanted: 'held by n2', unwanted: 'none' },
  { title: 'held by two nodes', lock: list(node('n1'), node('n2')), wanted: 'held by n1 n2', unwanted: 'none' },
  { title: 'held by one node of two', lock: list(node('n1', 1), node('n2')), wanted: 'held by n2', unwanted: 'none' },
  { title: 'a list without a node', lock: list(), wanted: 'take 1', unwanted: 'none' },
  {
    title: 'a list that Go wrote of nothing',
    lock: '{"maxOwners":2,"locks":null}',
    wanted: 'take 1',
    unwanted: 'none',
  },
  {
    title: 'held by another run',
    lock: single('evenkeel/run-2', 9e11),
    wanted: 'held by evenkeel/run-2',
    unwanted: 'none',
  },
  {
    title: 'text that makes no sense',
    lock: '{',
    wanted: 'held by a node that the lock does not name',
    unwanted: 'none',
  },
  {
    title: 'held under a name that only kured finds',
    lock: '{"nodeId":"manual"}',
    wanted: 'held by a node that the lock does not name',
    unwanted: 'none',
  },
  {
    title: 'text of no length',
    lock: '',
    wanted: 'held by a node that the lock does not name',
    unwanted: 'none',
  },
  { title: 'ours and fresh', lock: ours(4 * MIN), wanted: 'ours for 60000', unwanted: 'release to nothing' },
  { title: 'ours for a third of its time', lock: ours(5 * MIN), wanted: 'renew 1', unwanted: 'release to nothing' },
  { title: 'ours and over', lock: ours(20 * MIN), wanted: 'renew 1', unwanted: 'release to nothing' },
  { title: 'ours, of a clock that was ahead', lock: ours(-2 * MIN), wanted: 'renew 1', unwanted: 'release to nothing' },
  {
    title: 'ours and too short for kured',
    lock: ours(0),
    concurrency: 2,
    wanted: 'renew 2',
    unwanted: 'release to nothing',
  },
  {
    title: 'ours beside a node that kured added',
    lock: list(...entries(ours(0)), node('n3')),
    wanted: 'held by n3',
    unwanted: 'release to n3',
  },
]

function moveText({ lock, concurrency = 1 }: Row, isWanted: boolean): string {
  const at = {
    namespace: 'kube-system',
    name: 'kured',
    resourceVersion: '7',
    lockKey: 'weave.works/kured-node-lock',
    concurrency,
  }
  const seen: KuredDaemonSet = lock === undefined ? at : { ...at, lock }
  const move = lockMove(seen, { run: RUN, wall: AT, isWanted })
  if (move.kind === 'held') return `held by ${move.by.join(' ')}`
  if (move.kind === 'ours') return `ours for ${move.freshForMs}`
  if (move.kind !== 'write') return move.kind
  const owners = move.lock === null ? undefined : lockHoldings(move.lock)?.map(({ owner }) => owner)
  if (move.what === 'release') return `release to ${owners?.join(' ') ?? 'nothing'}`
  assert.deepEqual(new Set(owners), new Set([`evenkeel/${RUN}`]))
  return `${move.what} ${owners?.length}`
}

for (const row of ROWS)
  test(`a lock of kured that is ${row.title}: ${row.wanted} where the run wants it, else ${row.unwanted}`, () =>
    assert.deepEqual([moveText(row, true), moveText(row, false)], [row.wanted, row.unwanted]))

test('law: a lock of kured that another holds and that has not ended is never overwritten', () => {
  const OTHERS = ['n1', 'evenkeel/run-2']
  for (const owner of OTHERS)
    for (const TTL of [0, 61e9, 9e11])
      for (const lock of [single(owner, TTL), list(node(owner, TTL)), list(node('n2', 1), node(owner, TTL))])
        for (const concurrency of [1, 2, 5])
          assert.equal(moveText({ title: '', lock, concurrency, wanted: '', unwanted: '' }, true), `held by ${owner}`)
})

test('a DaemonSet that does not exist has no lock', () => {
  for (const isWanted of [true, false])
    assert.deepEqual(lockMove(undefined, { run: RUN, wall: AT, isWanted }), { kind: 'missing' })
  assert.equal(LOCK_FRESH_MS, 5 * MIN)
})

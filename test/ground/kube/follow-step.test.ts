import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { backoffMs } from '../../../src/ground/kube/backoff.ts'
import {
  type FollowInput,
  type FollowState,
  type FollowStep,
  followStep,
  idleLimitMs,
} from '../../../src/ground/kube/follow-step.ts'
import { monoMs } from '../../../src/ground/model/time.ts'
import { WorldError } from '../../../src/ground/model/world-error.ts'

type State = FollowState<string>
type Input = FollowInput<string, string>

const at = (ms: number, dice = 0.5) => ({ now: monoMs(ms), dice })
const position = { resourceVersion: '7', listedAt: monoMs(0) }
const empty: State = { kind: 'empty', failures: 0 }
const listed: State = { kind: 'listed', failures: 3, position, behind: false, wordless: 0 }
const watching: State = {
  kind: 'watching',
  failures: 3,
  position,
  behind: false,
  wordless: 0,
  openedAt: monoMs(0),
  stream: 'stream',
}
const gone = new WorldError('too old', { code: 'KUBE_GONE', retry: 'now' })
const unreachable = new WorldError('reset', { code: 'KUBE_UNREACHABLE', retry: 'backoff' })
const failed = (error: WorldError): Input => ({ type: 'failed', error })

test('a list is reported at once and watched from its version', () => {
  const step = followStep(empty, { type: 'listed', listing: { objects: ['a'], resourceVersion: '7' } }, at(5))
  assert.deepEqual(step, {
    event: { type: 'listed', objects: ['a'] },
    pauseMs: 0,
    next: { kind: 'listed', failures: 0, position: { resourceVersion: '7', listedAt: 5 }, behind: false, wordless: 0 },
  })
})

test('a change moves the watch on and forgets the failures', () => {
  const change = { type: 'applied', object: 'a', resourceVersion: '8' } as const
  const step = followStep(watching, { type: 'change', change }, at(10))
  assert.deepEqual(step.event, { type: 'applied', object: 'a' })
  assert.equal(step.pauseMs, 0)
  assert.equal(step.next.failures, 0)
  assert.ok(step.next.kind === 'watching' && step.next.position.resourceVersion === '8')
})

test('a watch that the server ends goes on from where it stood, with a pause and without a word', () => {
  const step = followStep(watching, { type: 'ended' }, at(60_000))
  assert.equal(step.event, undefined)
  assert.ok(step.pauseMs > 0 && step.pauseMs < 200, String(step.pauseMs))
  assert.deepEqual(step.next, { kind: 'listed', failures: 1, position, behind: false, wordless: 0 })
})

test('a watch that ends as soon as it is open counts as one more failure', () => {
  assert.equal(followStep(watching, { type: 'ended' }, at(100)).next.failures, 4)
})

test('silence is no failure, and only a list tells whether it was death', () => {
  const step = followStep(watching, { type: 'silent' }, at(100_000, 0.5))
  assert.deepEqual(step, { pauseMs: 110, next: { kind: 'empty', failures: 3 } })
})

test('after a failure that was reported, a watch waits a second for a word, then a list is asked for', () => {
  const broken = followStep(watching, failed(unreachable), at(60_000)).next
  const again = followStep(broken, { type: 'opened', stream: 'second' }, at(61_000)).next
  assert.ok(again.kind === 'watching')
  assert.equal(idleLimitMs(again, 0.5), 1000)
  assert.equal(followStep(again, { type: 'silent' }, at(62_000)).next.kind, 'empty')

  const spoken = followStep(again, { type: 'change', change: { type: 'fresh', resourceVersion: '9' } }, at(61_100)).next
  assert.ok(spoken.kind === 'watching')
  assert.equal(idleLimitMs(spoken, 0.5), 97_500)
})

test('a watch that ends without a word while it was behind is listed anew, and so is every third in a row', () => {
  for (const [behind, over, listsAt] of [
    [true, { type: 'ended' }, [1, 4, 7]],
    [false, { type: 'ended' }, [3, 6, 9]],
    [false, failed(unreachable), [2, 4, 6, 8]],
  ] as const) {
    let state: State = { ...listed, behind }
    const lists: number[] = []
    for (let watch = 1; watch <= 9; watch += 1) {
      state = followStep<string, string>(state, { type: 'opened', stream: 'stream' }, at(watch * 60_000)).next
      const ended: FollowStep<string, string> = followStep(state, over, at(watch * 60_000 + (watch % 2) * 30_000))
      assert.ok(ended.pauseMs > 0)
      state = ended.next
      if (state.kind !== 'empty') continue
      lists.push(watch)
      state = followStep<string, string>(
        state,
        { type: 'listed', listing: { objects: [], resourceVersion: '8' } },
        at(watch),
      ).next
    }
    assert.deepEqual(lists, listsAt)
  }
})

test('410 lists anew, whether the watch was open or not', () => {
  assert.deepEqual(followStep(listed, failed(gone), at(100)).next, { kind: 'empty', failures: 4 })
  assert.deepEqual(followStep(watching, failed(gone), at(100)).next, { kind: 'empty', failures: 4 })
})

test('a view that is half an hour old is listed anew when its watch ends', () => {
  assert.equal(followStep(watching, { type: 'ended' }, at(29 * 60_000)).next.kind, 'listed')
  assert.equal(followStep(watching, { type: 'ended' }, at(30 * 60_000)).next.kind, 'empty')
})

test('a failure is reported with the time until the next try', () => {
  const error = new WorldError('no', { code: 'KUBE_THROTTLED', retry: 'backoff', retryAfterMs: 7000 })
  const step = followStep(listed, failed(error), at(100, 0))
  assert.deepEqual(step.event, { type: 'broken', error, retryInMs: 7020 })
  assert.deepEqual([step.pauseMs, step.askedMs], [7020, 7000])
})

test('a list that succeeds does not forget the failures of the watches before it', () => {
  const step = followStep(
    { kind: 'empty', failures: 6 },
    { type: 'listed', listing: { objects: [], resourceVersion: '9' } },
    at(0),
  )
  assert.equal(step.next.failures, 6)
})

test('law: no retry is immediate, and Retry-After is honoured; a pause of a watch is never zero, never above ten seconds, and its limit doubles', () => {
  assert.deepEqual(
    [1, 2, 3, 6, 7, 50].map((failures) => backoffMs(failures, 0.999999)),
    [199, 399, 799, 6399, 9999, 9999],
  )
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 10_000 }),
      fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      (failures, dice) => {
        const ms = backoffMs(failures, dice)
        assert.ok(ms >= 20 && ms <= 10_000)
      },
    ),
  )
})

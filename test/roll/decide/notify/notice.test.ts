import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Reason } from '../../../../src/ground/model/reason.ts'
import { evenkeel, kubectl } from '../../../../src/ground/model/sentence.ts'
import { follow, holding, NO_STORY, type Notice, type Story } from '../../../../src/roll/decide/notify/notice.ts'
import type { NodeResult, RollEvent } from '../../../../src/roll/model/roll-event.ts'

const BUDGET: Reason = { code: 'EvictionRefused', object: 'shop/cart-0', text: 'budget shop/cart allows no eviction' }

const standing = (node: string, change: Partial<NodeResult> = {}): NodeResult => ({
  node,
  state: 'inService',
  cordoned: false,
  detached: false,
  podsMoved: 4,
  failedRequests: 0,
  text: 'back in service',
  ...change,
})

const begun: RollEvent = { type: 'roll.started', run: 'r-1', cluster: 'prod', nodes: ['n1', 'n2'], resumed: false }
const held = (type: 'hold.started' | 'hold.changed', reasons = [BUDGET]): RollEvent => ({
  type,
  node: 'n1',
  step: 'drain',
  reasons,
})

/** The notices of a story, an event each second. */
function noticesOf(...events: readonly RollEvent[]): { readonly story: Story; readonly notices: readonly Notice[] } {
  let story = NO_STORY
  const notices = events.flatMap((event, seq) => {
    const answer = follow(story, { ...event, v: '1.0', seq, at: stamp(seq) })
    story = answer.story
    return answer.notice ?? []
  })
  return { story, notices }
}

const stamp = (seconds: number): string => new Date(Date.UTC(2026, 0, 1, 0, 0, seconds)).toISOString()

test('a roll that begins and a roll that continues name the run and its nodes', () => {
  const texts = [begun, { ...begun, resumed: true }].map((event) => noticesOf(event).notices[0]?.title)
  assert.deepEqual(texts, ['prod: the roll of 2 nodes begins', 'prod: the roll of 2 nodes goes on'])
  assert.deepEqual(noticesOf(begun).notices[0]?.lines, ['run r-1'])
})

test('every notice names the cluster, once the roll says where it works', () => {
  const place = { context: 'eu1', server: 'https://10.0.0.5:6443', user: 'alice', reason: 'kernel', version: '0.1.0' }
  const { notices } = noticesOf({ ...begun, ...place }, { type: 'node.ended', standing: standing('n1') })
  assert.deepEqual(notices[0]?.lines, ['run r-1 on context eu1 (https://10.0.0.5:6443)', 'reason: kernel'])
  assert.deepEqual(
    notices.map(({ context, server, user, reason, version }) => ({ context, server, user, reason, version })),
    [place, place],
  )
})

test('a node that is back in service counts, and a restored node does not', () => {
  const restored = standing('n2', { state: 'restored', text: 'restored as it was' })
  const { notices } = noticesOf(
    begun,
    { type: 'node.ended', standing: standing('n1') },
    { type: 'node.ended', standing: restored },
  )
  assert.deepEqual(
    notices.slice(1).map(({ title, nodesDone }) => [title, nodesDone]),
    [
      ['prod: n1 is back in service (1 of 2)', 1],
      ['prod: n2 is restored as it was', 1],
    ],
  )
})

test('a hold gives one notice with how long it has lasted, and its end gives another', () => {
  const other: Reason = { ...BUDGET, text: 'budget shop/cart needs 2 and has 1', next: kubectl`get pods` }
  const { story, notices } = noticesOf(begun, held('hold.started'), held('hold.changed', [other]))
  assert.equal(notices.length, 1)
  const first = holding(story, stamp(121))
  assert.deepEqual(
    [first.notice?.title, first.notice?.lines],
    ['prod: n1 has been held in step drain for 2 min', ['budget shop/cart needs 2 and has 1; next: kubectl get pods']],
  )
  assert.equal(holding(first.story, stamp(200)).notice, undefined)
  const over = follow(first.story, { type: 'hold.ended', node: 'n1', step: 'drain', v: '1.0', seq: 9, at: stamp(181) })
  assert.equal(over.notice?.title, 'prod: n1 goes on with step drain after 3 min')
  assert.equal(over.story.hold, undefined)
})

test('a hold that ends before its notice gives none', () => {
  const { story, notices } = noticesOf(begun, held('hold.started'), { type: 'hold.ended', node: 'n1', step: 'drain' })
  assert.equal(notices.length, 1)
  assert.equal(holding(story, stamp(600)).notice, undefined)
})

test('the end names what failed, why, which nodes are out, and what to type', () => {
  const out = standing('n1', { state: 'out', detached: true, text: 'detached, at step attach' })
  const load = { sent: 12_000, failed: 6, skipped: 0, ratePerSecond: 100, p99Ms: 5, baselineP99Ms: 5, strays: 0 }
  const reasons: readonly Reason[] = [{ code: 'RequestsFailed', text: '6 of 16 requests failed' }]
  const end = (outcome: 'stopped' | 'completed' | 'held'): RollEvent => ({
    type: 'roll.ended',
    outcome,
    exitCode: 1,
    reasons,
    standings: [out, standing('n2')],
    next: [evenkeel`roll resume r-1`],
    load,
  })
  const notice = noticesOf(begun, end('stopped')).notices[1]
  assert.deepEqual(
    [notice?.kind, notice?.title, notice?.lines, notice?.next, notice?.exitCode, notice?.load],
    [
      'stopped',
      'prod: STOPPED, 1 of 2 nodes back in service',
      ['6 of 12,000 requests failed', '6 of 16 requests failed', 'n1: detached, at step attach'],
      ['evenkeel roll resume r-1'],
      1,
      { sent: 12_000, failed: 6 },
    ],
  )
  assert.deepEqual(
    [noticesOf(begun, end('completed')), noticesOf(begun, end('held'))].map(({ notices }) => notices[1]?.kind),
    ['done', 'held'],
  )
})
